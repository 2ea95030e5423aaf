internal import BlurtEngine
internal import CX11

/// Finds the keys of a paste chord in the present layout and presses them through XTest. Confined to the X thread.
final class X11Keyboard {
  /// A chord as keycodes.
  struct Plan {
    /// What was asked for; the keys may be those of Shift+Insert.
    let chord: PasteChord
    let key: KeyCode
    let modifiers: [PasteChord.Modifier]
    /// The program may answer with PRIMARY.
    let mayPastePrimary: Bool
    /// The group that was active, and the modifiers that were locked.
    let level: Level
  }

  /// What the server adds to each key of ours, whatever we press: the active group and the modifiers that are locked.
  struct Level: Hashable {
    let group: UInt8
    let locks: UInt8

    init(_ state: XkbStateRec) {
      group = state.group
      locks = state.locked_mods
    }
  }

  private struct Lookup: Hashable {
    let keysym: KeySym
    let level: Level
  }

  private let display: X11Display
  // What is known of the layout: until the next MappingNotify.
  private var keycodes: [Lookup: KeyCode] = [:]
  private var modifierRows: [[KeyCode]]?

  init(display: X11Display) { self.display = display }

  /// Fetches the layout now, so that the first paste need not.
  func warmUp() {
    _ = lookUp(.controlV, Level(state()))
    _ = rows()
  }

  /// The layout has changed.
  func mappingChanged(_ event: inout XMappingEvent) {
    XRefreshKeyboardMapping(&event)
    keycodes = [:]
    modifierRows = nil
  }

  /// Takes in what the server has said about the layout and nobody has dispatched yet; after a round trip that is
  /// everything up to it. Other events stay where they are. Whether there was something.
  private func catchUp() -> Bool {
    var event = XEvent()
    var isChanged = false
    while XCheckTypedEvent(display.raw, MappingNotify, &event) != 0 {
      mappingChanged(&event.xmapping)
      isChanged = true
    }
    return isChanged
  }

  // MARK: Planning

  /// The keys for a chord in the active group; Shift+Insert where the group has no such key (C-55). Holds for the layout
  /// of this moment, so `post` looks again. One round trip, some more after a change of the layout.
  func plan(for chord: PasteChord) -> Plan? {
    var plan: Plan?
    for _ in 0..<Self.attemptLimit {
      adoptLayout()
      let level = Level(state())
      _ = catchUp()
      plan = lookUp(chord, level)
      // Fetching a layout takes a round trip as well, and that may bring the next change.
      if !catchUp() { break }
    }
    return plan
  }

  /// A layout that changes again each time it is looked at is not waited for.
  private static let attemptLimit = 4

  /// Makes the layout of the XTest keyboard the one that all clients see, as the first key of the chord would do.
  ///
  /// Each keyboard of a server has a layout of its own, and the one that was used last lends its layout to all (a
  /// keyboard that was plugged in after `setxkbmap`, or the compositor's one under Xwayland, differ from XTest's). The
  /// chord would be interpreted with another layout than it was computed with. The server drops the release of a key that
  /// is not down, after the change of layout; no keyboard can send this one: it is evdev's KEY_RESERVED.
  private func adoptLayout() { fake(8, isPress: false) }

  private func lookUp(_ chord: PasteChord, _ level: Level) -> Plan? {
    for candidate in [chord, .shiftInsert] {
      let keysym = XStringToKeysym(candidate.key)
      if keysym != KeySym(NoSymbol), let key = keycode(of: keysym, level) {
        return Plan(
          chord: chord, key: key, modifiers: candidate.modifiers, mayPastePrimary: candidate.mayPastePrimary,
          level: level)
      }
    }
    return nil
  }

  private func state() -> XkbStateRec {
    var state = XkbStateRec()
    XkbGetState(display.raw, UInt32(XkbUseCoreKbd), &state)
    return state
  }

  /// The key that gives a keysym with no modifier and, or the same letter in its other case, with those that are locked.
  ///
  /// Programs go by the one or by the other. A locked level (`ISO_Level3_Lock`, Neo's fourth layer, which is on with Num
  /// Lock) gives the keys other meanings, and Caps Lock gives some layouts another script. XkbLookupKeySym works on Xlib's
  /// copy of the layout and folds a group that a key lacks as the server does.
  private func keycode(of keysym: KeySym, _ level: Level) -> KeyCode? {
    let lookup = Lookup(keysym: keysym, level: level)
    if let known = keycodes[lookup] { return known }
    var lowest: Int32 = 0
    var highest: Int32 = 0
    XDisplayKeycodes(display.raw, &lowest, &highest)
    // The two bits above the eight modifiers and five buttons are the group (XkbBuildCoreState).
    let group = UInt32(level.group & 3) << 13
    for code in lowest...max(lowest, highest)
    where self.keysym(of: KeyCode(code), group) == keysym
      && self.keysym(of: KeyCode(code), group | UInt32(level.locks)).map(Self.lowerCase) == Self.lowerCase(keysym)
    {
      keycodes[lookup] = KeyCode(code)
      return KeyCode(code)
    }
    return nil
  }

  private func keysym(of code: KeyCode, _ state: UInt32) -> KeySym? {
    var used: UInt32 = 0
    var found: KeySym = 0
    return XkbLookupKeySym(display.raw, code, state, &used, &found) != 0 ? found : nil
  }

  private static func lowerCase(_ keysym: KeySym) -> KeySym {
    var (lower, upper) = (keysym, keysym)
    XConvertCase(keysym, &lower, &upper)
    return lower
  }

  /// The keys of each of the eight modifiers, Shift first. One round trip after a change of the layout.
  private func rows() -> [[KeyCode]] {
    if let modifierRows { return modifierRows }
    guard let map = XGetModifierMapping(display.raw) else { return [] }
    defer { XFreeModifiermap(map) }
    let width = Int(map.pointee.max_keypermod)
    let rows = (0..<8).map { row in
      (0..<width).compactMap { column -> KeyCode? in
        let code = map.pointee.modifiermap[row * width + column]
        return code == 0 ? nil : code
      }
    }
    modifierRows = rows
    return rows
  }

  // MARK: Posting

  /// Presses and releases the chord, all in one write to the server.
  ///
  /// Every modifier is released first, and so is the trigger; they are not pressed
  /// again, so that nothing can stay down after the user has let go (C-54, C-55). Where the user holds a Control key,
  /// the chord uses another one: its release by the user can then not fall into the middle of the chord. Locks are
  /// left alone; latches of sticky keys are cleared, since the chord would consume them.
  ///
  /// The layout may have changed since `planned`, so the keys are looked up again. False, with nothing pressed, where
  /// there are none any more, where a modifier has no key, and where they would now paste PRIMARY, which was not meant
  /// when the plan was made. Four round trips, some more after a change of the layout.
  func post(_ planned: Plan, triggerKey: KeyCode?) -> Bool {
    var former: [KeyCode] = []
    for _ in 0..<Self.attemptLimit {
      guard let plan = plan(for: planned.chord), planned.mayPastePrimary || !plan.mayPastePrimary else { return false }
      let state = state()
      let down = keysDown()
      let rows = rows()
      var held: [KeyCode] = []
      for modifier in plan.modifiers {
        guard let code = self.key(for: modifier, rows, avoiding: down, Level(state)) else { return false }
        held.append(code)
      }
      let isChanged = catchUp() || Level(state) != plan.level
      // The user types on another keyboard than XTest's, and each use of the other one is told as a change of the layout:
      // one that leaves the keys as they were is none.
      if isChanged, former != held + [plan.key] {
        former = held + [plan.key]
        continue
      }
      press(plan.key, holding: held, state, rows, triggerKey)
      return true
    }
    return false
  }

  private func press(
    _ key: KeyCode, holding held: [KeyCode], _ state: XkbStateRec, _ rows: [[KeyCode]], _ triggerKey: KeyCode?
  ) {
    mark(held + [key])
    if state.latched_mods != 0 {
      XkbLatchModifiers(display.raw, UInt32(XkbUseCoreKbd), 0xff, 0)
    }
    var released = Set(rows.joined()).subtracting(locks(rows)).union(held)
    released.insert(key)
    if let triggerKey { released.insert(triggerKey) }
    // Also those that were not down when we asked: the user may have pressed one since. The server drops what is not down.
    for code in released.sorted() { fake(code, isPress: false) }
    for code in held { fake(code, isPress: true) }
    fake(key, isPress: true)
    fake(key, isPress: false)
    for code in held.reversed() { fake(code, isPress: false) }
    unmark()
    XFlush(display.raw)
  }

  /// A key of the modifier, if possible one that is not down.
  private func key(
    for modifier: PasteChord.Modifier, _ rows: [[KeyCode]], avoiding down: Set<KeyCode>, _ level: Level
  ) -> KeyCode? {
    let keysyms: [Int32] =
      switch modifier {
      case .control: [XK_Control_L, XK_Control_R]
      case .shift: [XK_Shift_L, XK_Shift_R]
      case .alt: [XK_Alt_L, XK_Alt_R]
      case .super: [XK_Super_L, XK_Super_R]
      }
    var candidates = keysyms.compactMap { keycode(of: KeySym($0), level) }
    switch modifier {
    case .control: candidates += row(rows, Int(ControlMapIndex))
    case .shift: candidates += row(rows, Int(ShiftMapIndex))
    case .alt, .super: break
    }
    // A key that gives the keysym and is bound to no modifier would not act as one.
    let bound = Set(rows.joined())
    candidates = candidates.filter(bound.contains)
    return candidates.first { !down.contains($0) } ?? candidates.first
  }

  private func row(_ rows: [[KeyCode]], _ index: Int) -> [KeyCode] { rows.indices.contains(index) ? rows[index] : [] }

  /// Keys that lock: letting go of one by XTest could change what it locks.
  private func locks(_ rows: [[KeyCode]]) -> Set<KeyCode> {
    let keysyms = [XK_Caps_Lock, XK_Num_Lock, XK_Scroll_Lock, XK_Shift_Lock].map { KeySym($0) }
    return Set(
      rows.joined().filter { code in
        var used: UInt32 = 0
        var found: KeySym = 0
        return XkbLookupKeySym(display.raw, code, 0, &used, &found) != 0 && keysyms.contains(found)
      })
  }

  private func keysDown() -> Set<KeyCode> {
    var bits = [CChar](repeating: 0, count: 32)
    XQueryKeymap(display.raw, &bits)
    return Set(
      (0..<256).filter { UInt8(bitPattern: bits[$0 / 8]) & (1 << UInt8($0 % 8)) != 0 }.map { KeyCode($0) })
  }

  private func fake(_ code: KeyCode, isPress: Bool) {
    XTestFakeKeyEvent(display.raw, UInt32(code), isPress ? 1 : 0, 0)
  }

  // MARK: Who gets the keys

  /// Whether another client has grabbed the keyboard: a screen locker, a password dialog, an open menu. Keys of ours would go
  /// there, whichever window has the focus (B-92). One round trip.
  ///
  /// Asks for a grab on a window that is not shown. The server looks for somebody else's grab first and refuses ours after
  /// that, so nothing is ever grabbed and no program sees the question.
  var isGrabbed: Bool {
    let answer = XGrabKeyboard(
      display.raw, display.window, 0, Int32(GrabModeAsync), Int32(GrabModeAsync), Time(CurrentTime))
    if answer == GrabSuccess { XUngrabKeyboard(display.raw, Time(CurrentTime)) }
    return answer == AlreadyGrabbed
  }

  // MARK: After a crash

  /// Notes the keys of the chord on the root window, where the note outlives us.
  private func mark(_ keys: [KeyCode]) {
    keys.withUnsafeBytes { bytes in
      display.setProperty(
        display.root, display.atoms[.chord], type: Atom(XA_CARDINAL), format: 8, bytes: bytes, itemCount: bytes.count)
    }
  }

  private func unmark() { XDeleteProperty(display.raw, display.root, display.atoms[.chord]) }

  /// Lets go of the keys that a daemon which was killed in mid-chord left down (B-26).
  ///
  /// The rule: only keys of the note that such a daemon left on the root window, and of those only the ones that the
  /// server reports as down. Without a note nothing is touched, whatever is down: it is the user's own or belongs to
  /// another program that uses XTest. Returns how many keys were let go.
  func releaseLeftovers() -> Int {
    guard let note = display.property(display.root, display.atoms[.chord], delete: true), note.format == 8 else {
      return 0
    }
    guard display.hasXTest else { return 0 }
    let left = keysDown().intersection(note.bytes.map { KeyCode($0) })
    for code in left.sorted() { fake(code, isPress: false) }
    XFlush(display.raw)
    return left.count
  }
}
