package import BlurtContract
internal import Synchronization

/// Gives those who wait for an outcome their answer.
///
/// Any thread; never blocks. Answers are given outside the lock, on the thread that brought the outcome.
package final class OutcomeWaiters: Sendable {
  private struct Waiter {
    let connection: UInt64
    let answer: @Sendable (OutcomeBook.Answer) -> Void
  }

  private struct State {
    var book = OutcomeBook()
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many wait.
  package var count: Int { state.withLock { $0.waiters.count } }

  /// Takes the next event of the daemon's one order.
  package func take(_ event: SessionEvent) {
    if case .level = event { return }
    carryOut { $0.take(event) }
  }

  package func began(recording: String) { state.withLock { $0.book.began(recording: recording) } }

  package func ended(recording: String, _ answer: OutcomeBook.Answer) {
    carryOut { $0.ended(recording: recording, answer) }
  }

  /// `answer` is called once, now or later, unless the connection closes first. `newest` as for `OutcomeBook.wait`.
  package func wait(
    for target: WaitTarget, newest: UInt64?, connection: UInt64,
    answer: @escaping @Sendable (OutcomeBook.Answer) -> Void
  ) {
    let now = state.withLock { state in
      state.lastWaiter += 1
      let now = state.book.wait(state.lastWaiter, for: target, newest: newest)
      if now == nil { state.waiters[state.lastWaiter] = Waiter(connection: connection, answer: answer) }
      return now
    }
    if let now { answer(now) }
  }

  package func forgetTexts() { state.withLock { $0.book.forgetTexts() } }

  /// Nobody reads an answer there any more.
  package func connectionClosed(_ connection: UInt64) {
    // What was removed is let go outside the lock.
    _ = state.withLock { state in
      let gone = state.waiters.filter { $0.value.connection == connection }
      for waiter in gone.keys { state.waiters[waiter] = nil }
      state.book.forget(gone.keys)
      return gone
    }
  }

  private func carryOut(_ step: (inout OutcomeBook) -> [OutcomeBook.Due]) {
    let due = state.withLock { state in
      step(&state.book).compactMap { due in
        state.waiters.removeValue(forKey: due.waiter).map { ($0.answer, due.answer) }
      }
    }
    for (tell, answer) in due { tell(answer) }
  }
}
