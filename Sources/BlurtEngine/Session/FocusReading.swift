internal import Synchronization

/// What a press has learned about the focus: published once, waited for by one task, looked at by anyone later (S-60).
final class FocusReading: Sendable {
  /// A question to the host and what came of it.
  enum Answer<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Still asked. Asserts nothing, least of all that a field is not secure (S-78).
    case outstanding
    /// Answered; nil where there was nothing to tell.
    case given(Value?)

    var value: Value? {
      switch self {
      case .outstanding: nil
      case .given(let value): value
      }
    }
  }

  private struct State {
    var target = Answer<CapturedFocus>.outstanding
    var field = Answer<FocusedFieldContext>.outstanding
    var waiter: CheckedContinuation<Void, Never>?
    var isWaitOver = false
  }

  private let state = Mutex(State())

  var target: Answer<CapturedFocus> { state.withLock { $0.target } }
  var field: Answer<FocusedFieldContext> { state.withLock { $0.field } }

  func publish(target: CapturedFocus?) { state.withLock { $0.target = .given(target) } }

  func publish(field: FocusedFieldContext?) {
    state.withLock { $0.field = .given(field) }
    endWait()
  }

  /// Returns once the field is known, the budget has elapsed or the task was cancelled (S-58). For one task, once.
  func waitForField(atMost budget: Duration, on clock: any Clock<Duration>) async {
    guard field == .outstanding else { return }
    let timer = Task.detached {
      do { try await clock.sleep(for: budget) } catch { return }
      self.endWait()
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isWaitOver { state.waiter = continuation }
          return state.isWaitOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      endWait()
    }
    timer.cancel()
  }

  private func endWait() {
    let waiter = state.withLock { state in
      state.isWaitOver = true
      return state.waiter.take()
    }
    waiter?.resume()
  }
}
