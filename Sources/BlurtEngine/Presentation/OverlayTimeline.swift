/// Decides when a notice gives way to idle (S-83). The host runs the timers; this says which of them still counts.
public struct OverlayTimeline: Sendable, Hashable {
  /// One state to show and to announce.
  public struct Step: Sendable, Hashable {
    public let state: OverlayUIState
    /// Hand this to `revert` when `state.dwell` has passed.
    public let generation: UInt64
  }

  public private(set) var state: OverlayUIState = .idle
  private var generation: UInt64 = 0

  public init() {}

  /// Shows a state, also one that is shown already: a repeated notice is announced and timed again.
  public mutating func show(_ state: OverlayUIState) -> Step {
    self.state = state
    generation += 1
    return Step(state: state, generation: generation)
  }

  /// A dwell has passed: idle, unless something newer has been shown since.
  public mutating func revert(_ generation: UInt64) -> Step? {
    guard generation == self.generation, state.dwell != nil else { return nil }
    return show(.idle)
  }
}
