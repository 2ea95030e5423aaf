internal import BlurtContract
internal import BlurtEngine
internal import BlurtExecutor
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// What `blurtd` does from its first line to its exit status.
package enum DaemonProgram {
  /// Room for a thousand watchers beside the devices (B-41). Many systems start with 1,024.
  private static let descriptorCount = 4_096

  /// Runs until a signal ends it; never returns. To be called on the main thread, first thing.
  package static func run() -> Never {
    TerminationSignals.block()
    DescriptorLimit.raise(to: descriptorCount)
    let environment = ProcessInfo.processInfo.environment
    let options: DaemonOptions
    switch DaemonOptions.parse(Array(CommandLine.arguments.dropFirst()), environment: environment) {
    case .run(let parsed): options = parsed
    case .help: finish(0, output: DaemonOptions.help)
    case .version: finish(0, output: "blurtd \(ProductVersion.current)")
    case .usage(let problem): finish(2, error: "blurtd: \(problem)\n\(DaemonOptions.help)")
    }
    if let level = options.logLevel { Log.level = level }
    let identity: ProductIdentity
    do throws(ProductIdentity.InvalidName) {
      identity = try ProductIdentity { environment[$0] }
    } catch {
      finish(Daemon.configurationExitStatus, error: "blurtd: \(error.description)")
    }
    // Y-101: a type that had read it by now would keep the names of another installation.
    assert(!HostIdentity.isResolved)
    HostIdentity.configure(HostIdentity(identity))
    if identity != .ordinary {
      JournalStream.rename(to: identity.journalIdentifier, environment: environment)
    }
    let activated = SocketActivation.take(environment: environment)
    installExecutor()
    do throws(Daemon.StartFailure) {
      let daemon = try Daemon(options: options, environment: environment, activatedSocket: activated)
      let signal = TerminationSignals.wait()
      Log.notice("ending on a signal", ["signal": "\(signal)"])
      Task.detached {
        await daemon.stop()
        exit(0)
      }
      // A second signal ends a stop that takes too long for the person who waits.
      _ = TerminationSignals.wait()
      exit(128 + signal)
    } catch {
      finish(error.exitStatus, error: "blurtd: \(error.message)")
    }
  }

  /// Before the first task. Its threads block the signals that this thread waits for, as all others.
  private static func installExecutor() {
    do throws(Errno) {
      guard try !TaskExecution.install() else { return }
      Log.notice("this Swift runtime has no hooks for an executor; Dispatch runs the tasks and wakes once a second")
    } catch {
      Log.warning("tasks run on Dispatch's threads, which wake once a second", ["reason": "\(error)"])
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
