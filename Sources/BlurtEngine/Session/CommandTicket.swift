internal import Synchronization

/// One command on its way through the queue, and the one answer it gets.
final class CommandTicket: Sendable {
  /// Told what became of the command, and its number.
  typealias Decided = @Sendable (CommandDecision, _ number: UInt64) -> Void

  private struct State {
    var decision: CommandDecision?
    var decided: Decided?
    var finished: (@Sendable (CommandDecision) -> Void)?
  }

  let number: UInt64
  let command: SessionCommand
  /// The only dictation it may act on; nil for whichever is live.
  let target: UInt64?
  /// What its arrival settled.
  let arrival: SessionLedger.Arrival
  /// Of a press that was accepted on arrival: what its dictation will start.
  let tasks: DictationTasks?
  private let state: Mutex<State>

  init(
    number: UInt64, command: SessionCommand, target: UInt64? = nil, arrival: SessionLedger.Arrival,
    tasks: DictationTasks? = nil, decided: Decided? = nil,
    finished: (@Sendable (CommandDecision) -> Void)? = nil
  ) {
    self.number = number
    self.command = command
    self.target = target
    self.arrival = arrival
    self.tasks = tasks
    state = Mutex(State(decided: decided, finished: finished))
  }

  /// Tells what became of the command. The first call counts.
  func decide(_ decision: CommandDecision) {
    let decided = state.withLock { state in
      guard state.decision == nil else { return nil as Decided? }
      state.decision = decision
      return state.decided.take()
    }
    decided?(decision, number)
  }

  /// The command is through; one that nothing decided had nothing to act on.
  func finish() {
    // Another thread may have handed the command on, and the whole of it run, before the one that submitted it told what
    // its arrival had decided.
    switch arrival {
    case .queued, .nothing: decide(.ignored)
    case .started: decide(.started)
    case .refused(let blocker): decide(.refused(blocker))
    case .busy: decide(.busy)
    case .cancelled: decide(.done)
    }
    let (decision, finished) = state.withLock { ($0.decision ?? .ignored, $0.finished.take()) }
    finished?(decision)
  }
}
