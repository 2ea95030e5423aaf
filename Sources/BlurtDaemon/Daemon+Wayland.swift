internal import BlurtEngine
internal import BlurtWayland

extension Daemon {
  /// The injector for a Wayland session; nil where the session is of another type or names no compositor.
  static func wayland(
    environment: [String: String], rules: @escaping @Sendable () -> WindowClassRules, modifiers: ModifierWait,
    seat: SessionSeat, hub: EventHub, onUnread: @escaping @Sendable (Bool) -> Void
  ) throws -> WaylandInjector? {
    // A compositor inside an X11 session is a window like others.
    guard environment["XDG_SESSION_TYPE"] != "x11" else { return nil }
    return try WaylandInjector(
      WaylandHost(
        environment: environment, rules: rules, waitForModifiersReleased: { await modifiers.wait(atMost: $0) },
        isInFront: { seat.state == .active }, onNotice: { hub.injection($0) }, onUnread: onUnread))
  }
}
