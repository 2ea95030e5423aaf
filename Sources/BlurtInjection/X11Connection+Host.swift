internal import BlurtEngine

extension X11Connection {
  /// What the daemon is told and asks, and what tests replace.
  struct Host: Sendable {
    var displayName: @Sendable () -> String?
    var rules: @Sendable () -> WindowClassRules
    var isWaylandSession: @Sendable () -> Bool
    var waitForModifiersReleased: @Sendable (Duration) async -> Bool
    /// The evdev code of the trigger, where it is known.
    var triggerKeyCode: @Sendable () -> Int?
    var onNotice: @Sendable (InjectionNotice) -> Void
    /// Called between taking the clipboard and the last look at who owns it. A seam for tests; nil otherwise.
    var afterOwning: (@Sendable () -> Void)?
    var onUnread: @Sendable (Bool) -> Void = { _ in }
    /// Whether the user sits in front of this session.
    var isInFront: @Sendable () -> Bool = { true }
    /// Whether clipboard histories are asked not to keep what only passes through (C-76).
    var hidesFromHistories: @Sendable () -> Bool = { true }
    /// Whether the field that has the focus in the target is known not to take a text.
    var takesNoText: @Sendable (CapturedFocus?) async -> Bool = { _ in false }
    /// The display of the session, as the service manager has been told; asked where `displayName` is of no use.
    var sessionDisplay: @Sendable () -> DisplayAddress? = { nil }
    var onStatus: @Sendable () -> Void = {}
  }
}
