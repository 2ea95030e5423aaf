/// What a press of a key that reads aloud and asks means (H-61): a tap reads the selection, a hold asks about it.
///
/// Pure and without a clock. The commands that the key's gate gives are withheld until it is known which of the two it is.
/// For a hold they are then handed on in their order, and the rest at once; of a tap none is.
public struct SelectionGesture: Sendable, Hashable {
  /// What is to be done, in order.
  public enum Outcome: Sendable, Hashable {
    /// For the session: a question is being dictated.
    case submit(SessionCommand)
    /// The selection is to be read aloud.
    case readSelection
  }

  private enum State: Sendable, Hashable {
    case idle
    case undecided(since: Duration, withheld: [SessionCommand])
    case asking
  }

  /// H-61: held this long or longer asks.
  public static let askThreshold: Duration = .milliseconds(350)

  private var state = State.idle

  public init() {}

  /// No press is under way and no question.
  public var isIdle: Bool { state == .idle }

  /// When `timePassed` must be called, on the clock of the events; nil while nothing waits for it.
  public var decidesAt: Duration? {
    if case .undecided(let since, _) = state { since + Self.askThreshold } else { nil }
  }

  /// Takes a command of the key's gate with the time of the event that it came from. A late reader changes nothing: the
  /// event's own time decides.
  public mutating func take(_ command: SessionCommand, at time: Duration) -> [Outcome] {
    switch state {
    case .idle:
      guard case .press = command else { return [] }
      state = .undecided(since: time, withheld: [command])
      return []
    case .undecided(let since, let withheld):
      let decided = timePassed(to: time)
      if !isUndecided { return decided + take(command, at: time) }
      switch command {
      case .press:
        state = .undecided(since: since, withheld: withheld + [command])
        return []
      case .release:
        state = .idle
        return [.readSelection]
      case .cancel, .cancelRecording:
        // Part of a shortcut, or a fault: the session has heard of nothing.
        state = .idle
        return []
      }
    case .asking:
      switch command {
      case .cancel, .cancelRecording: state = .idle
      case .press, .release: break
      }
      return [.submit(command)]
    }
  }

  /// So much time has passed. A press that is still held then asks.
  public mutating func timePassed(to time: Duration) -> [Outcome] {
    guard case .undecided(let since, let withheld) = state, time - since >= Self.askThreshold else { return [] }
    state = .asking
    return withheld.map(Outcome.submit)
  }

  /// The question's dictation has ended. Asking and saying nothing reads the selection.
  public mutating func ended(withWords: Bool) -> [Outcome] {
    guard state == .asking else { return [] }
    state = .idle
    return withWords ? [] : [.readSelection]
  }

  private var isUndecided: Bool { if case .undecided = state { true } else { false } }
}
