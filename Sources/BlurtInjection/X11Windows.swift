internal import BlurtEngine
internal import CX11
internal import Glibc

/// Looks at windows: which one is in front, which has the input focus, what they are called. Confined to the X thread.
final class X11Windows {
  /// A title is cut to this many characters (C-80).
  static let titleLimit = 120

  /// Windows are not climbed or walked further than this: a bound against trees that change under our eyes.
  private static let depthLimit = 32
  private static let walkLimit = 256

  private let display: X11Display

  init(display: X11Display) { self.display = display }

  // MARK: Which window

  /// The top-level window the user is in: the window manager's word, else the one that has the input focus.
  ///
  /// The word is old for a moment after its window went away, and the server may have given the id to a new window, so it
  /// counts only for a window that the window manager manages (ICCCM §4.1.3.1).
  func frontmost() -> Window? {
    if let active = active(), isManaged(active) { return active }
    return focusedTopLevel()
  }

  /// `_NET_ACTIVE_WINDOW`; nil where no window manager says so or none is active.
  private func active() -> Window? {
    guard let window = display.property(display.root, display.atoms[.activeWindow])?.words.first, window != 0 else {
      return nil
    }
    return window
  }

  /// Whether a window manager keeps `_NET_ACTIVE_WINDOW`.
  private var hasWindowManager: Bool { display.property(display.root, display.atoms[.supportingCheck]) != nil }

  /// XGetInputFocus; nil for none, for "whatever is under the pointer", and for the root window.
  private func inputFocus() -> Window? {
    var window: Window = 0
    var revert: Int32 = 0
    XGetInputFocus(display.raw, &window, &revert)
    return window == Window(None) || window == Window(PointerRoot) || window == display.root ? nil : window
  }

  /// The top-level window that has the input focus; nil where the keys would go nowhere.
  ///
  /// Window managers give the focus to an invisible window of their own when no window shall have it.
  func focusedTopLevel() -> Window? {
    guard let focus = inputFocus() else { return nil }
    let path = path(from: focus)
    if let managed = path.first(where: isManaged) { return managed }
    // A menu or a launcher without a manager is a place for keys; what nobody can see is not.
    guard let top = path.last, let attributes = attributes(top), attributes.map_state == IsViewable,
      attributes.`class` == InputOutput, isOnScreen(attributes),
      display.property(display.root, display.atoms[.supportingCheck])?.words.first != top
    else { return nil }
    return top
  }

  private func isOnScreen(_ window: XWindowAttributes) -> Bool {
    guard let screen = window.screen?.pointee else { return false }
    return window.x < screen.width && window.y < screen.height && window.x + window.width > 0
      && window.y + window.height > 0
  }

  /// The window that has the input focus, whatever its place in the tree.
  func focusedWindow() -> Window? { inputFocus() }

  /// Whether keys go to this top-level window now: the window manager says it is active and the input focus is inside
  /// (C-77).
  func isFocused(_ window: Window) -> Bool {
    if let active = active(), active != window { return false }
    guard let focus = inputFocus() else { return false }
    return focus == window || path(from: focus).contains(window)
  }

  /// From a window up to its top-level window, which is the last one.
  private func path(from window: Window) -> [Window] {
    var path: [Window] = []
    var current = window
    while path.count < Self.depthLimit {
      path.append(current)
      guard let (parent, _) = family(of: current), parent != 0, parent != display.root else { break }
      current = parent
    }
    return path
  }

  private func family(of window: Window) -> (parent: Window, children: [Window])? {
    var root: Window = 0
    var parent: Window = 0
    var children: UnsafeMutablePointer<Window>?
    var count: UInt32 = 0
    guard XQueryTree(display.raw, window, &root, &parent, &children, &count) != 0 else { return nil }
    defer { if let children { XFree(children) } }
    return (parent, children.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) } ?? [])
  }

  /// The clients that have a window inside this one: its own and those of embedded windows.
  func clients(inside window: Window) -> Set<UInt> {
    var clients: Set<UInt> = []
    var waiting = [window]
    var seen = 0
    while let next = waiting.popLast(), seen < Self.walkLimit {
      seen += 1
      clients.insert(display.client(of: next))
      waiting += family(of: next)?.children ?? []
    }
    return clients
  }

  // MARK: What it is

  private func attributes(_ window: Window) -> XWindowAttributes? {
    var attributes = XWindowAttributes()
    return XGetWindowAttributes(display.raw, window, &attributes) != 0 ? attributes : nil
  }

  private func isManaged(_ window: Window) -> Bool { display.property(window, display.atoms[.windowState]) != nil }

  private func exists(_ window: Window) -> Bool { attributes(window) != nil }

  /// Whether the window of the press is still there and still the same: ids are used again.
  func isStillThere(_ focus: CapturedFocus) -> Bool {
    guard let window = focus.windowID.map({ Window($0) }), exists(window) else { return false }
    if focus.processID != 0, processID(of: window) != focus.processID { return false }
    return focus.windowClass == nil || classes(of: window).windowClass == focus.windowClass
  }

  /// The desktop background and panels have the focus without having a text field.
  func isDesktopOrDock(_ window: Window) -> Bool {
    let types = display.property(window, display.atoms[.windowType])?.words ?? []
    return types.contains(display.atoms[.desktopType]) || types.contains(display.atoms[.dockType])
  }

  /// 0 where the window does not tell.
  func processID(of window: Window) -> Int32 {
    let value = display.property(window, display.atoms[.windowProcess])?.words.first ?? 0
    return Int32(truncatingIfNeeded: value)
  }

  /// The same, 0 also where the window says that its program runs on another machine.
  func localProcessID(of window: Window) -> Int32 {
    if let machine = display.property(window, display.atoms[.clientMachine]), machine.format == 8,
      Self.hostPart(String(decoding: machine.bytes, as: UTF8.self)) != Self.hostName
    {
      return 0
    }
    return processID(of: window)
  }

  /// The name of this machine, as programs write it into WM_CLIENT_MACHINE. It may change while we run.
  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return hostPart(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// Without the domain, which some programs write and others do not.
  private static func hostPart(_ name: String) -> String {
    String(name.prefix { $0 != "." && $0 != "\0" }).lowercased()
  }

  /// WM_CLASS.
  func classes(of window: Window) -> (instance: String?, windowClass: String?) {
    guard let bytes = display.property(window, Atom(XA_WM_CLASS))?.bytes else { return (nil, nil) }
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    return (parts.first.flatMap(Self.nonEmpty), parts.dropFirst().first.flatMap(Self.nonEmpty))
  }

  /// `_NET_WM_NAME`, else WM_NAME; at most `titleLimit` characters.
  func title(of window: Window) -> String? {
    if let bytes = display.property(window, display.atoms[.windowName])?.bytes {
      return Self.nonEmpty(String(String(decoding: bytes, as: UTF8.self).prefix(Self.titleLimit)))
    }
    guard let name = display.property(window, Atom(XA_WM_NAME)), name.format == 8 else { return nil }
    let text =
      name.type == Atom(XA_STRING)
      ? String(String.UnicodeScalarView(name.bytes.map { Unicode.Scalar($0) }))
      : String(decoding: name.bytes, as: UTF8.self)
    return Self.nonEmpty(String(text.prefix(Self.titleLimit)))
  }

  private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Notes on a window that the last text went there.
  func markAsPasted(_ window: Window) {
    display.setProperty(window, display.atoms[.pasted], type: Atom(XA_WINDOW), words: [display.window])
  }

  /// Whether it is the very window that was noted, and not a later one of the same number.
  func isMarkedAsPasted(_ window: Window) -> Bool {
    display.property(window, display.atoms[.pasted])?.words.first == display.window
  }

  // MARK: Bringing it to the front

  /// Asks the window manager to activate a window; without one, gives it the input focus.
  ///
  /// As a pager does it (source 2): the user asked for it by dictating into that window.
  func activate(_ window: Window, at time: Time) {
    guard hasWindowManager else {
      XSetInputFocus(display.raw, window, RevertToParent, time)
      XFlush(display.raw)
      return
    }
    // openbox shows no window of another desktop by itself, others do.
    if let desktop = desktop(of: window) {
      ask(.currentDesktop, of: display.root, Int(desktop), Int(time))
    }
    ask(.activeWindow, of: window, 2, Int(time))
    XFlush(display.raw)
  }

  /// The desktop that a window is on; nil where that is the present one, or where it is on all of them.
  private func desktop(of window: Window) -> UInt32? {
    guard let its = display.property(window, display.atoms[.windowDesktop])?.words.first,
      let current = display.property(display.root, display.atoms[.currentDesktop])?.words.first
    else { return nil }
    let desktop = UInt32(truncatingIfNeeded: its)
    return desktop == UInt32(truncatingIfNeeded: current) || desktop == .max ? nil : desktop
  }

  /// A request to the window manager (EWMH).
  private func ask(_ what: X11Atoms.Name, of window: Window, _ first: Int, _ second: Int) {
    var event = XEvent()
    event.xclient.type = ClientMessage
    event.xclient.window = window
    event.xclient.message_type = display.atoms[what]
    event.xclient.format = 32
    event.xclient.data.l.0 = first
    event.xclient.data.l.1 = second
    XSendEvent(display.raw, display.root, 0, SubstructureRedirectMask | SubstructureNotifyMask, &event)
  }

  /// Asks for events about `_NET_ACTIVE_WINDOW`. Only while someone waits: other root properties change every second.
  func watchActive(_ isWanted: Bool) {
    guard !display.isBroken else { return }
    XSelectInput(display.raw, display.root, isWanted ? PropertyChangeMask : NoEventMask)
  }
}
