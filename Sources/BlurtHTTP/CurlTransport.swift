package import AssemblyAI
package import BlurtOS
internal import Synchronization

/// HTTP over libcurl's multi interface, on one thread of its own (T-72…T-83).
///
/// The thread, and with it libcurl's and OpenSSL's memory, comes with the first request. All requests share one cache of
/// connections, so that a warm-up opens the connection of the request after it (T-12). Idle, the thread sleeps without a
/// timer. The owner calls `stop`.
package final class CurlTransport: HTTPTransport {
  private enum Phase {
    case unstarted
    case running(WorkerThread)
    case stopped
  }

  private let options: CurlOptions
  private let mailbox: CurlMailbox
  private let phase = Mutex(Phase.unstarted)
  private let nextID = Atomic<UInt64>(0)

  /// Throws where the process may open no further descriptor.
  package init(_ options: CurlOptions = .fromEnvironment()) throws(Errno) {
    self.options = options
    mailbox = try CurlMailbox()
  }

  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try startIfNeeded()
    let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
    defer {
      mailbox.forget(id)
      if case .stream(let body) = request.body { body.setOnReadable(nil) }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let submission = CurlMailbox.Submission(id: id, request: request, continuation: continuation)
        if !mailbox.submit(submission) { continuation.resume(throwing: CurlWorker.stopped) }
      }
    } onCancel: {
      mailbox.cancel(id)
    }
  }

  /// Ends every request with an error and joins the thread. Blocks for as long as the thread needs for that, which is
  /// milliseconds. Later requests fail at once.
  package func stop() {
    mailbox.stop()
    let running = phase.withLock { phase in
      defer { phase = .stopped }
      return phase
    }
    if case .running(let thread) = running { thread.join() }
  }

  private func startIfNeeded() throws(HTTPTransportError) {
    let failed = phase.withLock { phase -> HTTPTransportError? in
      switch phase {
      case .running: return nil
      case .stopped: return CurlWorker.stopped
      case .unstarted:
        do throws(Errno) {
          phase = .running(
            try WorkerThread(name: "blurt-http") { [mailbox, options] in CurlWorker.run(mailbox, options) })
          return nil
        } catch {
          return HTTPTransportError(
            code: Int(error.code), message: "The network thread could not be started: \(error).")
        }
      }
    }
    if let failed { throw failed }
  }
}
