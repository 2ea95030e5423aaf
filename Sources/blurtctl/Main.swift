internal import BlurtContract
internal import BlurtIPC
internal import Glibc

@main
enum Main {
  static func main() {
    let console = Console.standard(environment: SocketPath.environmentVariable)
    let status = Program(console: console).run(Array(CommandLine.arguments.dropFirst()))
    exit(status.rawValue)
  }
}
