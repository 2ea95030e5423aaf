import BlurtOS
import CX11
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

/// A program with one window that logs keys and pastes as slowly or as often as a test wants.
final class ProbeWindow: XProgram, @unchecked Sendable {
  /// What the program does when its paste keys come.
  struct Plan: Sendable {
    /// When it reads, counted from the keys; empty: it never does.
    var reads: [Duration] = [.zero]
    var target = "UTF8_STRING"
    /// What the first read asks for, where that is something else.
    var firstTarget: String?
    /// Which selection Shift+Insert pastes.
    var shiftInsert = "PRIMARY"
    /// Modifier bits that do not change a chord: those that are locked.
    var ignored = UInt32(LockMask | Mod2Mask)
  }

  struct Key: Sendable, Equatable {
    let name: String
    /// The modifier bits at that moment, locks left out.
    let modifiers: UInt32
    let isPress: Bool
  }

  private struct Log {
    var keys: [Key] = []
    var codes: [UInt32] = []
    var focusChanges = 0
    var mappingChanges = 0
    var pasted: [String?] = []
    var hasFocus = false
    var plan = Plan()
  }

  let window: Window
  private let log = Mutex(Log())
  private let landing: Atom
  // On the thread.
  private var incremental: [UInt8]?

  var keys: [Key] { log.withLock { $0.keys } }
  /// The keycodes of `keys`.
  var codes: [UInt32] { log.withLock { $0.codes } }
  /// How often the focus came or went, a grab of the keyboard included.
  var focusChanges: Int { log.withLock { $0.focusChanges } }
  /// How often the program was told of another layout.
  var mappingChanges: Int { log.withLock { $0.mappingChanges } }
  var pasted: [String?] { log.withLock { $0.pasted } }
  var hasFocus: Bool { log.withLock { $0.hasFocus } }
  var plan: Plan {
    get { log.withLock { $0.plan } }
    set { log.withLock { $0.plan = newValue } }
  }
  /// The presses of keys that are no modifiers.
  var strokes: [Key] {
    keys.filter { $0.isPress && !$0.name.hasSuffix("_L") && !$0.name.hasSuffix("_R") && !$0.name.hasPrefix("ISO_") }
  }
  func forget() {
    log.withLock { log in
      log.keys = []
      log.codes = []
      log.pasted = []
    }
  }

  init(
    title: String = "probe", instance: String = "probe", windowClass: String = "Probe", processID: Int32 = getpid(),
    type: String? = nil, isManaged: Bool = true, displayName: String = X11Rig.displayName
  ) throws {
    let display = try Self.open(displayName)
    window = display.1
    landing = display.2
    try super.init(adopting: display.0)
    setBytes(window, atom("WM_CLASS"), Atom(XA_STRING), Array("\(instance)\0\(windowClass)\0".utf8))
    setBytes(window, atom("_NET_WM_NAME"), atom("UTF8_STRING"), Array(title.utf8))
    if processID != 0 { setWords(window, atom("_NET_WM_PID"), Atom(XA_CARDINAL), [UInt(processID)]) }
    if let type { setWords(window, atom("_NET_WM_WINDOW_TYPE"), Atom(XA_ATOM), [atom(type)]) }
    if !isManaged {
      var attributes = XSetWindowAttributes()
      attributes.override_redirect = 1
      XChangeWindowAttributes(self.display, window, UInt(CWOverrideRedirect), &attributes)
    }
    XMapRaised(self.display, window)
    XFlush(self.display)
    try start()
  }

  private static func open(_ name: String) throws -> (OpaquePointer, Window, Atom) {
    _ = X11Handlers.install
    guard let display = XOpenDisplay(name) else { throw NoDisplay() }
    let window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 40, 40, 200, 100, 0, 0, 0xffffff)
    XSelectInput(
      display, window, KeyPressMask | KeyReleaseMask | FocusChangeMask | PropertyChangeMask | StructureNotifyMask)
    return (display, window, XInternAtom(display, "PROBE_LANDING", 0))
  }

  /// Waits until the window manager has given it the focus.
  func shown() async throws -> Self {
    do {
      try await eventually("the probe window has the focus") { self.hasFocus }
    } catch {
      quit()
      throw error
    }
    return self
  }

  /// The same where the manager does not give the focus to each new window by itself, as when it has just started: asks for
  /// it as a taskbar does when its entry is clicked.
  func activated() async throws -> Self {
    do {
      try await eventually(within: .seconds(30), "the probe window has the focus") {
        if self.hasFocus { return true }
        await self.run { self.askForActivation() }
        return self.hasFocus
      }
    } catch {
      quit()
      throw error
    }
    return self
  }

  private func askForActivation() {
    var event = XEvent()
    event.xclient.type = ClientMessage
    event.xclient.window = window
    event.xclient.message_type = atom("_NET_ACTIVE_WINDOW")
    event.xclient.format = 32
    event.xclient.data.l.0 = 2
    XSendEvent(display, root, 0, SubstructureRedirectMask | SubstructureNotifyMask, &event)
  }

  /// Keeps the keyboard to itself, as a screen locker or a password dialog does, or gives it back.
  func grabKeyboard(_ isWanted: Bool) async throws {
    try await eventually("the keyboard is \(isWanted ? "grabbed" : "free")") {
      await self.run { [self] in
        guard isWanted else { return XUngrabKeyboard(display, Time(CurrentTime)) != 0 }
        return XGrabKeyboard(
          display, window, 0, Int32(GrabModeAsync), Int32(GrabModeAsync), Time(CurrentTime)) == GrabSuccess
      }
    }
  }

  /// Takes the input focus where no window manager gives it.
  func takeFocus() async {
    await run { [self] in
      while true {
        var attributes = XWindowAttributes()
        XGetWindowAttributes(display, window, &attributes)
        if attributes.map_state == IsViewable { break }
      }
      XSetInputFocus(display, window, Int32(RevertToParent), Time(CurrentTime))
    }
  }

  override func handle(_ event: inout XEvent) {
    switch event.type {
    case FocusIn, FocusOut:
      let isIn = event.type == FocusIn
      log.withLock { log in
        log.hasFocus = isIn
        log.focusChanges += 1
      }
    case MappingNotify: log.withLock { $0.mappingChanges += 1 }
    case KeyPress, KeyRelease: key(event.xkey)
    case SelectionNotify where event.xselection.property == 0: log.withLock { $0.pasted.append(nil) }
    case SelectionNotify where event.xselection.property == landing:
      guard let value = take(window, landing), event.xselection.target != atom("TARGETS") else { return }
      if value.type == "INCR" { incremental = [] } else { log.withLock { $0.pasted.append(value.text) } }
    case PropertyNotify where event.xproperty.atom == landing && event.xproperty.state == PropertyNewValue:
      guard let soFar = incremental, let piece = take(window, landing) else { return }
      incremental = piece.bytes.isEmpty ? nil : soFar + piece.bytes
      if piece.bytes.isEmpty { log.withLock { $0.pasted.append(String(decoding: soFar, as: UTF8.self)) } }
    default: break
    }
  }

  private func key(_ event: XKeyEvent) {
    var used: UInt32 = 0
    var keysym: KeySym = 0
    XkbLookupKeySym(display, KeyCode(event.keycode), event.state & 0x6000, &used, &keysym)
    let name = XKeysymToString(keysym).map { String(cString: $0) } ?? ""
    let isPress = event.type == KeyPress
    let plan = self.plan
    let modifiers = event.state & 0xff & ~plan.ignored
    log.withLock { log in
      log.keys.append(Key(name: name, modifiers: modifiers, isPress: isPress))
      log.codes.append(event.keycode)
    }
    guard isPress else { return }
    let selection: Atom
    switch (name, modifiers) {
    case ("v", UInt32(ControlMask)), ("v", UInt32(ControlMask | ShiftMask)), ("y", UInt32(ControlMask)):
      selection = atom("CLIPBOARD")
    case ("Insert", UInt32(ShiftMask)): selection = atom(plan.shiftInsert)
    default: return
    }
    for (index, delay) in plan.reads.enumerated() {
      let target = atom(index == 0 ? plan.firstTarget ?? plan.target : plan.target)
      let read = { [self] in _ = XConvertSelection(display, selection, target, landing, window, event.time) }
      if delay == .zero { read() } else { after(delay, read) }
    }
  }
}
