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
      sleeper.wake()
    }
    try Task.checkCancellation()
  }
}

/// One sleeping task, woken once: by the timer, by its cancellation, or at once where that came first.
final class Sleeper: Sendable {
  private struct State {
    var isAwake = false
    var continuation: CheckedContinuation<Void, Never>?
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

  /// Any thread. Resumes under no lock, since a cancellation handler comes here as well.
  func wake() {
    let continuation = state.withLock { state in
      state.isAwake = true
      return state.continuation.take()
    }
    continuation?.resume()
  }
}
