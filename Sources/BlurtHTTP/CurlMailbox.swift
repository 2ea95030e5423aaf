internal import AssemblyAI
internal import BlurtOS
internal import CCurl
internal import Synchronization

/// Hands requests to the curl thread and wakes it. Any thread may call; only the curl thread calls `take` and `close`.
final class CurlMailbox: Sendable {
  struct Submission: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let continuation: CheckedContinuation<HTTPResponse, any Error>
  }

  /// What the curl thread has to do since it last asked.
  struct Work: Sendable {
    var submissions: [Submission] = []
    var cancelled: Set<UInt64> = []
    var isStopping = false
  }

  /// The multi handle, for `curl_multi_wakeup` alone.
  ///
  /// Safe to send: that call is the one that libcurl allows from any thread, it is made under the lock, and the handle is
  /// taken away under the same lock before it is freed.
  private struct Sleeper: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
  }

  private struct State {
    var work = Work()
    var sleeper: Sleeper?
  }

  private let state = Mutex(State())

  /// Queues a request; false after `stop`.
  func submit(_ submission: Submission) -> Bool {
    state.withLock { state in
      guard !state.work.isStopping else { return false }
      state.work.submissions.append(submission)
      Self.wake(state)
      return true
    }
  }

  /// Ends a request, also one that has not been submitted yet.
  func cancel(_ id: UInt64) {
    state.withLock { state in
      state.work.cancelled.insert(id)
      Self.wake(state)
    }
  }

  /// Forgets that a request was cancelled, once it is over.
  func forget(_ id: UInt64) { state.withLock { _ = $0.work.cancelled.remove(id) } }

  /// A body has something to pull.
  func wake() { state.withLock { Self.wake($0) } }

  func stop() {
    state.withLock { state in
      state.work.isStopping = true
      Self.wake(state)
    }
  }

  /// From here on calls wake this handle's poll.
  func open(_ multi: UnsafeMutableRawPointer) {
    let sleeper = Sleeper(multi: multi)
    state.withLock { $0.sleeper = sleeper }
  }

  /// The handle is about to be freed.
  func close() { state.withLock { $0.sleeper = nil } }

  /// What there is to do. Submissions are handed out once; the other two stay as they are.
  func take() -> Work {
    state.withLock { state in
      defer { state.work.submissions = [] }
      return state.work
    }
  }

  private static func wake(_ state: borrowing State) {
    if let sleeper = state.sleeper { curl_multi_wakeup(sleeper.multi) }
  }
}
