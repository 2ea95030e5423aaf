import BlurtDaemon

@main
enum Main {
  static func main() async { await DaemonProgram.run() }
}
