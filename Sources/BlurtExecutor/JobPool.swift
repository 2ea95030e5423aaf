internal import BlurtOS
internal import Synchronization

/// A few threads that run jobs as they come, and sleep without a timer while there are none.
///
/// Jobs start by urgency, then in the order of `add`. A job must not block: there is no further thread to make up for it.
/// One thread at a time is being woken; once awake it wakes the next, if jobs are left. So `add` costs at most one waking,
/// however many jobs come at once.
final class JobPool<Job: Sendable>: Sendable {
  private struct State {
    var queue = JobQueue<Job>()
    /// The threads that sleep and were not called, the last one to fall asleep at the end: its caches are the warmest.
    var idle: [Int] = []
    /// A thread was called and has not looked at the queue yet.
    var isWaking = false
    var isStopped = false

    /// The thread to be called for a job that waits; nil where none is needed, or none sleeps.
    mutating func nextSleeper() -> Int? {
      guard !isWaking, queue.count > 0, let sleeper = idle.popLast() else { return nil }
      isWaking = true
      return sleeper
    }
  }

  private let state = Mutex(State())
  private let parkings: [Parking]
  private let threads: Mutex<[WorkerThread]>
  private let run: @Sendable (Job) -> Void

  /// Starts the threads, which `ps -T` shows by that name. `run` is called on one of them for each job.
  init(name: String, threadCount: Int, run: @escaping @Sendable (Job) -> Void) throws(Errno) {
    parkings = (0..<threadCount).map { _ in Parking() }
    threads = Mutex([])
    self.run = run
    do throws(Errno) {
      for number in 0..<threadCount {
        let thread = try WorkerThread(name: "\(name)-\(number)") { [self] in work(number) }
        threads.withLock { $0.append(thread) }
      }
    } catch {
      stop()
      throw error
    }
  }

  /// Has the job run. Any thread.
  func add(_ job: Job, _ urgency: JobQueue<Job>.Urgency) {
    let sleeper = state.withLock { state in
      state.queue.append(job, urgency)
      return state.nextSleeper()
    }
    // Outside the lock, which the woken thread takes first.
    if let sleeper { parkings[sleeper].call() }
  }

  /// Ends the threads once no job waits; returns when they have ended. Not to be called from a job.
  func stop() {
    let sleepers = state.withLock { state in
      state.isStopped = true
      defer { state.idle = [] }
      return state.idle
    }
    for sleeper in sleepers { parkings[sleeper].call() }
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  private enum Turn {
    case job(Job, sleeper: Int?)
    case sleep
    case end
  }

  private func work(_ number: Int) {
    var wasCalled = false
    while true {
      let turn: Turn = state.withLock { state in
        if wasCalled { state.isWaking = false }
        if let job = state.queue.removeFirst() { return .job(job, sleeper: state.nextSleeper()) }
        if state.isStopped { return .end }
        state.idle.append(number)
        return .sleep
      }
      wasCalled = false
      switch turn {
      case .job(let job, let sleeper):
        if let sleeper { parkings[sleeper].call() }
        run(job)
      case .sleep:
        parkings[number].wait()
        wasCalled = true
      case .end: return
      }
    }
  }
}
