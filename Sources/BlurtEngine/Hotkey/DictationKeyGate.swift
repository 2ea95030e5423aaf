/// Decides what a press of the owning trigger key means: a hold, a tap, or part of a shortcut (H-01…H-29).
///
/// Pure and without a clock: each event carries its own monotonic time. One gate serves one gesture at a time; which
/// key owns it and which events reach it is the router's business.
public struct DictationKeyGate: Sendable, Hashable {
  /// What the caller shall do (H-02).
  public enum Action: Sendable, Hashable {
    /// A dictation begins.
    case start
    /// The dictation ends and is transcribed.
    case stop
    /// The dictation ends and is thrown away: the key was part of a shortcut.
    case cancel
    /// The dictation goes on with no key held. Nothing to do for the session; a host may draw it.
    case latch
    /// Nothing.
    case none
  }

  private enum State: Sendable, Hashable {
    case idle
    /// The key is down since then; fresh says that it went down from idle.
    case armed(since: Duration, fresh: Bool)
    /// A dictation runs with no key held.
    case latched
  }

  /// H-01: a press this long or longer is a hold.
  public static let defaultHoldThreshold: Duration = .seconds(1)

  public let holdThreshold: Duration
  private var state = State.idle
  /// The mode of the key that began the gesture, used until it is over (H-36).
  private var mode = ActivationMode.tapOrHold

  public init(holdThreshold: Duration = Self.defaultHoldThreshold) {
    self.holdThreshold = holdThreshold
  }

  /// H-04: no gesture is under way.
  public var isIdle: Bool { state == .idle }

  /// A dictation runs with no key held.
  public var isLatched: Bool { state == .latched }

  /// The owning key is down, as far as the events tell.
  public var isArmed: Bool { !isIdle && !isLatched }

  /// The key went down. The mode counts only when a gesture begins with it.
  public mutating func keyDown(at time: Duration, mode: ActivationMode = .tapOrHold) -> Action {
    switch state {
    case .idle:
      state = .armed(since: time, fresh: true)
      self.mode = mode
      return .start
    case .latched:
      state = .armed(since: time, fresh: false)
      return .none
    case .armed:
      return .none
    }
  }

  /// The key went up.
  public mutating func keyUp(at time: Duration) -> Action {
    guard case .armed(let since, let fresh) = state else { return .none }
    if fresh && isTap(lasting: time - since) {
      state = .latched
      return .latch
    }
    state = .idle
    return .stop
  }

  /// Another key or a pointer button was pressed.
  public mutating func otherInput() -> Action {
    guard case .armed(_, let fresh) = state else { return .none }
    state = fresh ? .idle : .latched
    return fresh ? .cancel : .none
  }

  /// Ends the gesture without an action (H-20).
  public mutating func reset() { state = .idle }

  private func isTap(lasting held: Duration) -> Bool {
    switch mode {
    case .tapOrHold: held < holdThreshold
    case .tap: true
    case .hold: false
    }
  }
}
