internal import Synchronization

/// One command on its way through the queue, and the one answer it gets.
final class CommandTicket: Sendable {
  private struct State {
    var decision: CommandDecision?
    var decided: (@Sendable (CommandDecision) -> Void)?
    var finished: (@Sendable (CommandDecision) -> Void)?
  }

  let number: UInt64
  let command: SessionCommand
  /// The only dictation it may act on; nil for whichever is live.
  let target: UInt64?
  private let state: Mutex<State>

  init(
    number: UInt64, command: SessionCommand, target: UInt64? = nil,
    decided: (@Sendable (CommandDecision) -> Void)? = nil, finished: (@Sendable (CommandDecision) -> Void)? = nil
  ) {
    self.number = number
    self.command = command
    self.target = target
    state = Mutex(State(decided: decided, finished: finished))
  }

  /// Tells what became of the command. The first call counts.
  func decide(_ decision: CommandDecision) {
    let decided = state.withLock { state in
      guard state.decision == nil else { return nil as (@Sendable (CommandDecision) -> Void)? }
      state.decision = decision
      return state.decided.take()
    }
    decided?(decision)
  }

  /// The command is through; one that nothing decided had nothing to act on.
  func finish() {
    decide(.ignored)
    let (decision, finished) = state.withLock { ($0.decision ?? .ignored, $0.finished.take()) }
    finished?(decision)
  }
}
