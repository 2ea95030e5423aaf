internal import BlurtContract
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// What `blurtd` does from its first line to its exit status.
package enum DaemonProgram {
  /// Runs until a signal ends it; never returns.
  package static func run() async -> Never {
    // Before any other thread is started, so that all of them inherit the mask.
    SignalStream.block()
    let environment = ProcessInfo.processInfo.environment
    let options: DaemonOptions
    switch DaemonOptions.parse(Array(CommandLine.arguments.dropFirst()), environment: environment) {
    case .run(let parsed): options = parsed
    case .help: finish(0, output: DaemonOptions.help)
    case .version: finish(0, output: "blurtd \(ProductVersion.current)")
    case .usage(let problem): finish(2, error: "blurtd: \(problem)\n\(DaemonOptions.help)")
    }
    if let level = options.logLevel { Log.level = level }
    let activated = SocketActivation.take(environment: environment)
    do {
      let signals = try SignalStream()
      let daemon = try Daemon(options: options, environment: environment, activatedSocket: activated)
      for await signal in signals.stream {
        Log.notice("ending on a signal", ["signal": "\(signal)"])
        break
      }
      await daemon.stop()
      signals.stop()
      exit(0)
    } catch let failure as Daemon.StartFailure {
      finish(failure.exitStatus, error: "blurtd: \(failure.message)")
    } catch {
      finish(1, error: "blurtd: \(error)")
    }
  }

  private static func finish(_ status: Int32, output: String? = nil, error: String? = nil) -> Never {
    if let output { write(output + "\n", to: 1) }
    if let error { write(error + "\n", to: 2) }
    exit(status)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
