internal import AssemblyAI
internal import BlurtOS
internal import Synchronization

/// Hands requests to the curl thread and wakes it. Any thread may call; only the curl thread calls `take`.
///
/// The thread is woken after the lock was let go, so that it never wakes up only to wait for the lock.
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

  private let work = Mutex(Work())
  private let wakeup: Wakeup

  init() throws(Errno) { wakeup = try Wakeup() }

  /// Readable when there is something to do, until `take`.
  var descriptor: Int32 { wakeup.descriptor }

  /// Queues a request; false after `stop`.
  func submit(_ submission: Submission) -> Bool {
    let isQueued = work.withLock { work in
      if !work.isStopping { work.submissions.append(submission) }
      return !work.isStopping
    }
    wake()
    return isQueued
  }

  /// Ends a request, also one that has not been submitted yet.
  func cancel(_ id: UInt64) {
    work.withLock { _ = $0.cancelled.insert(id) }
    wake()
  }

  /// Forgets that a request was cancelled, once it is over.
  func forget(_ id: UInt64) { work.withLock { _ = $0.cancelled.remove(id) } }

  /// A body has something to pull.
  func wake() { wakeup.signal() }

  func stop() {
    work.withLock { $0.isStopping = true }
    wake()
  }

  /// What there is to do. Submissions are handed out once; the other two stay as they are.
  func take() -> Work {
    // Before the work is looked at: what comes after that signals again.
    wakeup.clear()
    return work.withLock { work in
      let taken = work
      work.submissions = []
      return taken
    }
  }
}
