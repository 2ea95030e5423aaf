internal import BlurtEngine
internal import BlurtInjection
internal import BlurtWayland
internal import Synchronization

/// The one injector of the daemon: X11's or Wayland's, chosen at each press by what the session is.
///
/// In a Wayland session the Wayland one pastes into every window, those under Xwayland included. Where it has no way to send
/// keys, a window under Xwayland that has the focus is pasted into through X11, and for any other window the text goes to the
/// Wayland clipboard, with a notice. That of X11 would not do there: a compositor shares it only while such a window has
/// the focus.
final class DesktopInjector: InjectorProtocol, Sendable {
  private enum Route {
    case x11
    case wayland(WaylandInjector)
  }

  private let x11: KeyInjector
  private let wayland: WaylandInjector?
  /// As the last press chose it; the insert follows.
  private let route: Mutex<Route>

  init(x11: KeyInjector, wayland: WaylandInjector?) {
    self.x11 = x11
    self.wayland = wayland
    route = Mutex(wayland.map(Route.wayland) ?? .x11)
  }

  func setTarget(_ focus: CapturedFocus?) { chosen.setTarget(focus) }

  /// Only X11's has something to get ready: under Wayland nobody tells of a change of the clipboard while no program of
  /// ours reads it.
  func expectInsert(_ isExpected: Bool) {
    let isForX11 = if case .x11 = route.withLock({ $0 }) { true } else { false }
    x11.expectInsert(isExpected && isForX11)
  }

  func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws {
    try await chosen.insert(text, after: priorText, windowTitle: windowTitle)
  }

  var focus: HostFocusCapture {
    HostFocusCapture(
      frontmost: { [self] in await frontmost() },
      fieldContext: { [self] focus in
        switch route.withLock({ $0 }) {
        case .x11: await x11.focus.fieldContext(focus)
        case .wayland(let wayland): await wayland.focus.fieldContext(focus)
        }
      })
  }

  /// What is known without looking again.
  var status: DisplayStatus { wayland.map { Self.status($0.status, x11.status) } ?? x11.status }

  /// Looks again at what may have changed: a program was installed, a permission came.
  func freshStatus() async -> DisplayStatus {
    guard let wayland else { return x11.status }
    return Self.status(await wayland.freshStatus(), x11.status)
  }

  func connectIfPossible() {
    x11.connectIfPossible()
    wayland?.lookAround()
  }

  /// Both settle what they have under way and join their threads.
  func stop() {
    wayland?.stop()
    x11.stop()
  }

  /// A compositor that is gone leaves X11 to speak for itself, as where `WAYLAND_DISPLAY` was left over.
  static func status(_ wayland: WaylandStatus, _ x11: DisplayStatus) -> DisplayStatus {
    if !wayland.hasLooked { return .unknown }
    if !wayland.isReachable, x11.canPaste { return x11 }
    return .wayland(message: wayland.message, remedy: wayland.remedy)
  }

  private var chosen: any InjectorProtocol {
    switch route.withLock({ $0 }) {
    case .x11: x11
    case .wayland(let wayland): wayland
    }
  }

  private func frontmost() async -> CapturedFocus? {
    guard let wayland else { return await x11.focus.frontmost() }
    // For the paste that comes, and so that a keyboard of ours is there in time.
    wayland.lookAround()
    let status = wayland.status
    if status.canPaste {
      route.withLock { $0 = .wayland(wayland) }
      return await wayland.focus.frontmost()
    }
    let window = await x11.focus.frontmost()
    let isForX11 = window != nil || !status.isReachable && x11.status.canPaste
    route.withLock { $0 = isForX11 ? .x11 : .wayland(wayland) }
    return window
  }
}
