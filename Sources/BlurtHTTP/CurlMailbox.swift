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
  private let handover = Atomic<UInt8>(0)
  private let wakeup: Wakeup

  init() throws(Errno) { wakeup = try Wakeup() }

  /// Readable when there is something to do, until `take`.
  var descriptor: Int32 { wakeup.descriptor }

  var isStopping: Bool { locked { $0.isStopping } }

  /// Queues a request; false after `stop`.
  func submit(_ submission: Submission) -> Bool {
    let isQueued = locked { work in
      if !work.isStopping { work.submissions.append(submission) }
      return !work.isStopping
    }
    wake()
    return isQueued
  }

  /// Ends a request, also one that has not been submitted yet.
  func cancel(_ id: UInt64) {
    locked { _ = $0.cancelled.insert(id) }
    wake()
  }

  /// Forgets that a request was cancelled, once it is over.
  func forget(_ id: UInt64) { locked { _ = $0.cancelled.remove(id) } }

  /// A body has something to pull.
  func wake() { wakeup.signal() }

  func stop() {
    locked { $0.isStopping = true }
    wake()
  }

  /// What there is to do. Submissions are handed out once; the other two stay as they are.
  func take() -> Work {
    // Before the work is looked at: what comes after that signals again.
    wakeup.clear()
    return locked { work in
      let taken = work
      work.submissions = []
      return taken
    }
  }

  /// Several threads meet here. A contended `Mutex` of Swift 6.3 is handed over by the kernel (a priority-inheriting
  /// futex), which the thread sanitizer cannot see and reports as a race; the atomic shows it the same order.
  private func locked<Result: Sendable>(_ body: (inout Work) -> Result) -> Result {
    work.withLock { work in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(1, ordering: .releasing) }
      return body(&work)
    }
  }
}
