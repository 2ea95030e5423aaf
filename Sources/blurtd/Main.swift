import BlurtDaemon

@main
enum Main {
  static func main() { DaemonProgram.run() }
}
