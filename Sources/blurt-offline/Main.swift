internal import BlurtOffline
internal import FoundationEssentials
internal import Glibc

@main
enum Main {
  static func main() {
    let status = OfflineProgram.run(
      arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    fflush(nil)
    // Without the destructors of foreign code, which have nothing to save.
    _exit(status)
  }
}
