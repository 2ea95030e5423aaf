public import BlurtEngine
internal import Synchronization

/// An observer of a session that remembers every step and can wait for one.
public final class PhaseProbe: Sendable {
  private struct State {
    var changes: [PhaseChange] = []
    var hasEnded = false
    var waiters: [(isDone: @Sendable ([PhaseChange], Bool) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
      []
  }

  private let state = Mutex(State())
  private let task = Box<Task<Void, Never>?>(nil)

  public init(_ stream: AsyncStream<PhaseChange>) {
    task.value = Task.detached { [weak self] in
      for await change in stream { self?.record { $0.changes.append(change) } }
      self?.record { $0.hasEnded = true }
    }
  }

  deinit { task.value?.cancel() }

  public var changes: [PhaseChange] { state.withLock { $0.changes } }
  public var phases: [PipelinePhase] { changes.map(\.phase) }

  /// The phases of one dictation that were seen so far.
  public func phases(of dictation: UInt64) -> [PipelinePhase] {
    changes.filter { $0.dictation == dictation }.map(\.phase)
  }

  /// Returns once that dictation has reached that phase.
  public func wait(for phase: PipelinePhase, of dictation: UInt64) async {
    await wait { changes, _ in changes.contains(PhaseChange(phase: phase, dictation: dictation)) }
  }

  /// Returns once that dictation has ended, with the phase it ended in.
  @discardableResult
  public func waitForEnd(of dictation: UInt64) async -> PipelinePhase? {
    await wait { changes, _ in changes.contains { $0.dictation == dictation && $0.phase.isTerminal } }
    return phases(of: dictation).last
  }

  /// The phases of one dictation, from its first to its last.
  public func allPhases(of dictation: UInt64) async -> [PipelinePhase] {
    await waitForEnd(of: dictation)
    return phases(of: dictation)
  }

  /// Returns once that many steps were seen.
  public func wait(forChanges count: Int) async { await wait { changes, _ in changes.count >= count } }

  /// Returns once the session has ended the stream.
  public func waitForTermination() async { await wait { _, hasEnded in hasEnded } }

  private func wait(_ isDone: @escaping @Sendable ([PhaseChange], Bool) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDoneNow = state.withLock { state in
        if isDone(state.changes, state.hasEnded) { return true }
        state.waiters.append((isDone, continuation))
        return false
      }
      if isDoneNow { continuation.resume() }
    }
  }

  private func record(_ change: (inout State) -> Void) {
    let ready = state.withLock { state in
      change(&state)
      let (changes, hasEnded) = (state.changes, state.hasEnded)
      let ready = state.waiters.filter { $0.isDone(changes, hasEnded) }.map(\.continuation)
      state.waiters.removeAll { $0.isDone(changes, hasEnded) }
      return ready
    }
    for continuation in ready { continuation.resume() }
  }
}
