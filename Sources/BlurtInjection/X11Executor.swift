internal import BlurtOS
internal import Glibc
internal import Synchronization

/// Runs an actor's jobs on one thread of its own, which also polls the X connection.
///
/// The thread's loop calls `runJobs`; everyone else only enqueues. A job that arrives while the loop polls wakes it.
final class X11Executor: SerialExecutor {
  private struct Callers {
    var count = 0
    var isClosed = false
  }

  private let jobs = Mutex<[UnownedJob]>([])
  private let callers = Mutex(Callers())
  private let threadID = Atomic<UInt>(0)
  private let wakeup: Wakeup

  init() throws(Errno) { wakeup = try Wakeup() }

  /// Readable when the loop has something to do.
  var wakeupDescriptor: Int32 { wakeup.descriptor }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    // The loop looks at the queue before it polls, so its own thread needs no waking.
    if !isOnThread { wakeup.signal() }
  }

  /// Makes the loop take a turn.
  func wake() { wakeup.signal() }

  func clearWakeup() { wakeup.clear() }

  /// Called once, on the thread, before its first turn.
  func adoptCurrentThread() { threadID.store(UInt(pthread_self()), ordering: .releasing) }

  private var isOnThread: Bool { threadID.load(ordering: .acquiring) == UInt(pthread_self()) }

  func isIsolatingCurrentContext() -> Bool? { isOnThread }

  func checkIsolated() { precondition(isOnThread, "not on the X thread") }

  var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs what is queued, and what those jobs queue in turn.
  func runJobs() {
    while true {
      let batch = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      if batch.isEmpty { return }
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  /// Announces a caller. False once closed: then the actor must not be called any more.
  func enter() -> Bool {
    callers.withLock { callers in
      if callers.isClosed { return false }
      callers.count += 1
      return true
    }
  }

  /// A caller is back.
  func leave() {
    callers.withLock { $0.count -= 1 }
    wakeup.signal()
  }

  /// Lets no further caller in. False if that was so already.
  func close() -> Bool {
    callers.withLock { callers in
      defer { callers.isClosed = true }
      return !callers.isClosed
    }
  }

  var isClosing: Bool { callers.withLock { $0.isClosed } }

  /// No caller is inside and none can come.
  var isDeserted: Bool { callers.withLock { $0.isClosed && $0.count == 0 } }
}
