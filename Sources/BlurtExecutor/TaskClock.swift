internal import Synchronization

/// The continuous clock, whose sleepers wait on the timer of `TaskExecution` where that is installed.
///
/// For every sleep in a program that installs it: the runtime's own sleep goes around the hooks to Dispatch (Swift 6.3),
/// whose pool then wakes once a second for as long as the process lives. Without the executor it is the runtime's.
package struct TaskClock: Clock {
  package typealias Instant = ContinuousClock.Instant

  private let standard = ContinuousClock()

  package init() {}

  package var now: Instant { standard.now }

  package var minimumResolution: Duration { standard.minimumResolution }

  /// Returns at the deadline or later. Throws `CancellationError` once the task is cancelled. The tolerance is not used.
  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    guard TaskExecution.isInstalled else { return try await standard.sleep(until: deadline, tolerance: tolerance) }
    try Task.checkCancellation()
    let sleeper = Sleeper()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard sleeper.begin(continuation) else { return }
        TaskExecution.wake(sleeper, after: deadline - now)
      }
    } onCancel: {
      // Its entry goes with it: else a thread would wake at its time for nothing.
      if let ticket = sleeper.wake() { TaskExecution.forget(ticket) }
    }
    try Task.checkCancellation()
  }
}

/// One sleeping task, woken once: by the timer, by its cancellation, or at once where that came first.
final class Sleeper: Sendable {
  private struct State {
    var isAwake = false
    var continuation: CheckedContinuation<Void, Never>?
    var ticket: TaskTimer<TaskExecution.TimerEntry>.Ticket?
  }

  private let state = Mutex(State())

  /// False, and the continuation is resumed, where it was woken before it slept.
  func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    let sleeps = state.withLock { state in
      if !state.isAwake { state.continuation = continuation }
      return !state.isAwake
    }
    if !sleeps { continuation.resume() }
    return sleeps
  }

  /// Notes where it waits. False where it is awake already.
  func keep(_ ticket: TaskTimer<TaskExecution.TimerEntry>.Ticket) -> Bool {
    state.withLock { state in
      if !state.isAwake { state.ticket = ticket }
      return !state.isAwake
    }
  }

  /// Any thread. Resumes under no lock, since a cancellation handler comes here as well.
  ///
  /// - Returns: where it waits, if that is known: there it is not needed any more.
  @discardableResult
  func wake() -> TaskTimer<TaskExecution.TimerEntry>.Ticket? {
    let (continuation, ticket) = state.withLock { state in
      state.isAwake = true
      return (state.continuation.take(), state.ticket.take())
    }
    continuation?.resume()
    return ticket
  }
}
