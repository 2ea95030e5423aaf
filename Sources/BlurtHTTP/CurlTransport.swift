package import AssemblyAI
package import BlurtOS
internal import Synchronization

/// HTTP over libcurl's multi interface, on one thread of its own (T-72…T-83).
///
/// All requests share one cache of connections, so that a warm-up opens the connection of the request after it (T-12).
/// Before the first request the thread sleeps and libcurl is not set up; idle, it sleeps without a timer. The owner calls
/// `stop`.
package final class CurlTransport: HTTPTransport {
  private let mailbox: CurlMailbox
  private let thread: WorkerThread
  private let nextID = Atomic<UInt64>(0)

  /// Throws where the process may open no further descriptor or start no further thread.
  package init(_ options: CurlOptions = .fromEnvironment()) throws(Errno) {
    let mailbox = try CurlMailbox()
    self.mailbox = mailbox
    thread = try WorkerThread(name: "blurt-http") { CurlWorker.run(mailbox, options) }
  }

  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
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
    thread.join()
  }
}
