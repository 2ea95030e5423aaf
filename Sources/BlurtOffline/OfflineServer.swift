internal import BlurtEngine
internal import BlurtOS
internal import CMoonshine
internal import Glibc

/// The engine's side of the lines: reads requests from stdin until its end, answers each on stdout.
///
/// Runs on the process's main thread and never returns to anything that could fail: a request that cannot be met gets an
/// error reply.
package enum OfflineServer {
  /// Serves until stdin ends.
  ///
  /// `parent` is the process that must outlive this one; nil in a shell. With `gateOnly` it listens for speech and loads no
  /// model. Returns the exit status.
  package static func run(
    _ installation: OfflineInstallation?, gateOnly: Bool = false, parent: Int32?, missing: String
  ) -> Int32 {
    // Before anything else: a daemon that is killed takes the engine with it.
    if let parent {
      _ = blurt_offline_die_with_parent()
      guard getppid() == parent else { return 1 }
    }
    // Foreign code that prints must not print into the protocol.
    let replies = fcntl(1, F_DUPFD_CLOEXEC, 3)
    guard replies >= 0, dup2(2, 1) >= 0 else { return 1 }
    let output = FileDescriptor(owning: replies)
    signal(SIGPIPE, SIG_IGN)
    guard let installation else {
      _ = send(.failed(OfflineFault.notInstalled.error(missing)), to: output)
      return 1
    }
    let start = MonotonicClock.now()
    let sandbox = OfflineSandbox.enter()
    let engine: OfflineEngine
    do throws(UnderlyingError) {
      engine = try OfflineEngine(installation, gateOnly: gateOnly)
    } catch {
      _ = send(.failed(error), to: output)
      return 1
    }
    engine.warmUp()
    let readiness = OfflineReadiness(
      libraryVersion: engine.libraryVersion, sandbox: sandbox,
      loadMilliseconds: ((MonotonicClock.now() - start) / .milliseconds(1)).rounded())
    guard send(.ready(readiness), to: output) else { return 0 }
    serve(engine, to: output)
    return 0
  }

  private static func serve(_ engine: OfflineEngine, to output: borrowing FileDescriptor) {
    var lines = OfflineLineBuffer()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try? Syscall.run("read") { read(0, &bytes, bytes.count) }
      guard let count, count > 0 else { return }
      for line in lines.append(bytes[..<count]) {
        guard send(reply(to: line, from: engine), to: output) else { return }
      }
      if lines.isOverfull { return }
    }
  }

  private static func reply(to line: [UInt8], from engine: OfflineEngine) -> OfflineReply {
    guard let request = OfflineLine.decode(OfflineRequest.self, from: line) else {
      return .error(id: 0, OfflineFault.badRequest.error("The offline engine got a line that is not a request."))
    }
    do throws(UnderlyingError) {
      let samples = try OfflineAudio.samples(of: request.path)
      return .answer(id: request.id, try engine.transcribe(samples, gateOnly: request.gateOnly ?? false))
    } catch {
      return .error(id: request.id, error)
    }
  }

  /// False when nobody reads any more.
  private static func send(_ reply: OfflineReply, to output: borrowing FileDescriptor) -> Bool {
    let bytes = OfflineLine.encode(reply)
    return (try? bytes.withUnsafeBytes { try output.writeAll($0) }) != nil
  }
}
