package import BlurtEngine

/// What the daemon is told and asks.
package struct WaylandHost: Sendable {
  /// The environment in which the compositor and the helper programs are found.
  package var environment: [String: String]
  /// How each program pastes, by app id; asked at each insert.
  package var rules: @Sendable () -> WindowClassRules
  /// Returns true when the user's own modifier keys are up, false after the given time.
  package var waitForModifiersReleased: @Sendable (Duration) async -> Bool
  /// Whether the user sits in front of this session. Must not block.
  package var isInFront: @Sendable () -> Bool
  /// Told on a thread of the injector; must not block.
  package var onNotice: @Sendable (WaylandNotice) -> Void
  /// Told before `insert` returns with true when the keys were sent and nobody has read the text; with false when somebody
  /// has, or is waited for no longer. A `stop` before that tells nothing. Not told where reads cannot be seen.
  package var onUnread: @Sendable (Bool) -> Void
  /// Where keyboards are made.
  package var uinputNode: String

  package init(
    environment: [String: String], rules: @escaping @Sendable () -> WindowClassRules = { WindowClassRules() },
    waitForModifiersReleased: @escaping @Sendable (Duration) async -> Bool = { _ in true },
    isInFront: @escaping @Sendable () -> Bool = { true }, onNotice: @escaping @Sendable (WaylandNotice) -> Void,
    onUnread: @escaping @Sendable (Bool) -> Void = { _ in }, uinputNode: String = UinputKeyboard.node
  ) {
    self.environment = environment
    self.rules = rules
    self.waitForModifiersReleased = waitForModifiersReleased
    self.isInFront = isInFront
    self.onNotice = onNotice
    self.onUnread = onUnread
    self.uinputNode = uinputNode
  }
}
