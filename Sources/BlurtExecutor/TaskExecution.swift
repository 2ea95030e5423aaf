package import BlurtOS
internal import CSwiftRuntime
internal import Glibc
internal import Synchronization

/// Where the tasks of this process run: on threads of our own instead of Dispatch's, once `install` has been called.
///
/// Swift's runtime lets a program take over its global executor by three hooks. What Dispatch would give is kept: jobs run
/// by priority, actors and tasks behave as ever. What it costs is not: its pool wakes once a second while nothing happens.
/// Who sleeps does so by `TaskClock`: the runtime's own sleep goes to Dispatch. The main actor stays there as well; nothing
/// here uses it.
///
/// For programs, as their first act: a library has no say in where its host's tasks run.
package enum TaskExecution {
  /// How many threads run tasks. Two, so that a long job does not hold up the others; none of them may block.
  package static let threadCount = 2

  /// What waits for its time.
  enum TimerEntry: Sendable {
    case job(JobHandle)
    case sleeper(Sleeper)
  }

  /// What runs the jobs, for as long as the process lives.
  private struct Engine: Sendable {
    let pool: JobPool<JobHandle>
    let timer: TaskTimer<TimerEntry>

    /// Starts the threads. Jobs come to `running` once the hooks are set.
    init() throws(Errno) {
      blurt_swift_prepare(
        blurt_swift_hooks(
          enqueue: { job in
            let job = JobHandle(job)
            TaskExecution.running.pool.add(job, job.urgency)
          },
          enqueue_after: { nanoseconds, job in
            TaskExecution.running.timer.schedule(.job(JobHandle(job)), after: Int64(clamping: nanoseconds))
          },
          enqueue_at: { seconds, nanoseconds, clock, job in
            TaskExecution.running.timer.schedule(
              .job(JobHandle(job)), at: TaskExecution.time(seconds, nanoseconds),
              countingSuspend: clock == Int32(BLURT_SWIFT_CONTINUOUS_CLOCK))
          }))
      let pool = try JobPool<JobHandle>(name: "blurt-task", threadCount: threadCount) { $0.run() }
      self.pool = pool
      do throws(Errno) {
        timer = try TaskTimer(name: "blurt-timer") { entry in
          switch entry {
          case .job(let job): pool.add(job, job.urgency)
          case .sleeper(let sleeper): sleeper.wake()
          }
        }
      } catch {
        pool.stop()
        throw error
      }
    }
  }

  private static let installed = Atomic<Bool>(false)

  /// Made by the first `install`.
  private static let engine = Result { () throws(Errno) in try Engine() }

  /// Lets all tasks of this process run on threads of its own from now on; those that wait for something at this moment
  /// come along when they are woken. A second call does nothing.
  ///
  /// False, and all stays as it was, where Swift's runtime lacks one of the hooks. Throws where the system has no thread
  /// or descriptor left; all stays as it was then, too.
  package static func install() throws(Errno) -> Bool {
    guard blurt_swift_has_hooks() != 0 else { return false }
    _ = try engine.get()
    blurt_swift_install()
    installed.store(true, ordering: .releasing)
    return true
  }

  /// Whether the tasks of this process run here.
  static var isInstalled: Bool { installed.load(ordering: .acquiring) }

  /// Wakes a sleeper after a time that counts suspend. Only once installed.
  static func wake(_ sleeper: Sleeper, after delay: Duration) {
    let (seconds, attoseconds) = delay.components
    let ticket = running.timer.schedule(
      .sleeper(sleeper), after: max(time(seconds, attoseconds / 1_000_000_000 + 1), 0))
    // Cancelled in between: nobody else knows the ticket.
    if !sleeper.keep(ticket) { running.timer.cancel(ticket) }
  }

  /// Takes a sleeper's entry out of the timer.
  static func forget(_ ticket: TaskTimer<TimerEntry>.Ticket) { running.timer.cancel(ticket) }

  /// How many tasks and jobs wait for their time. Only once installed.
  static var sleeperCount: Int { running.timer.count }

  /// The engine that `install` has made: nobody else calls for it.
  private static var running: Engine {
    switch engine {
    case .success(let engine): engine
    case .failure(let error): fatalError("the executor was installed without threads: \(error)")
    }
  }

  /// Nanoseconds; the end of time where they are too many.
  private static func time(_ seconds: Int64, _ nanoseconds: Int64) -> Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsAgain) = whole.addingReportingOverflow(nanoseconds)
    return overflows || overflowsAgain ? (seconds < 0 ? 0 : .max) : sum
  }
}
