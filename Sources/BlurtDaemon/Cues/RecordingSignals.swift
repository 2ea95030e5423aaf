package import BlurtEngine
internal import BlurtExecutor
internal import Synchronization

/// Tells the parts that follow a recording, the cues and the media players, when it has begun and when it has ended.
///
/// Nothing waits for them: `phaseChanged` returns at once, and both closures must as well.
package final class RecordingSignals: Sendable {
  private struct State {
    var edges = RecordingEdges()
    var timer: Task<Void, Never>?
  }

  private let clock: any Clock<Duration>
  private let onBegan: @Sendable (UInt64?) -> Void
  private let onEnded: @Sendable (UInt64?) -> Void
  private let state = Mutex(State())
  /// Held from a decision until it is carried out, so that an end is never told before its beginning. No handler of a
  /// cancellation takes it.
  private let order = Mutex(())

  /// Both closures are given the number of the dictation.
  package init(
    clock: any Clock<Duration> = TaskClock(), onBegan: @escaping @Sendable (UInt64?) -> Void,
    onEnded: @escaping @Sendable (UInt64?) -> Void
  ) {
    self.clock = clock
    self.onBegan = onBegan
    self.onEnded = onEnded
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// Takes every step of the phase, in order, from one observer.
  package func phaseChanged(_ change: PhaseChange) {
    order.withLock { _ in carryOut(state.withLock { $0.edges.take(change) }) }
  }

  private func carryOut(_ action: RecordingEdges.Action?) {
    switch action {
    case .wait(let number)?: wait(number)
    case .dismiss?: replaceTimer(with: nil)
    case .began(let dictation)?: onBegan(dictation)
    case .ended(let dictation)?: onEnded(dictation)
    case nil: break
    }
  }

  private func wait(_ number: UInt64) {
    replaceTimer(
      with: Task.detached { [weak self, clock] in
        do { try await clock.sleep(for: RecordingEdges.patience) } catch { return }
        guard let self else { return }
        self.order.withLock { _ in self.carryOut(self.state.withLock { $0.edges.patienceEnded(number) }) }
      })
  }

  private func replaceTimer(with timer: Task<Void, Never>?) {
    let old = state.withLock { state in
      defer { state.timer = timer }
      return state.timer
    }
    old?.cancel()
  }
}
