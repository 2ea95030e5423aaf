internal import BlurtEngine
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// What is done for one insert, step by step, and what comes after it. Blocks.
///
/// `@unchecked Sendable`: `paste`, `settle` and `look` run as jobs of one `SerialWorker`, one after the other, and only they
/// touch the variables; everything else here is constant, locked or a descriptor.
final class WaylandPaster: @unchecked Sendable {
  /// One insert, as the caller of the seam gave it.
  struct Paste: Sendable {
    let text: String
    let target: CapturedFocus?
    let priorText: String?
    let windowTitle: String?
    let modifiersAreUp: Bool
    let isCancelled: @Sendable () -> Bool

    /// The window as the separator knows it (C-57). Without a target it is like no other.
    var window: InsertionSeparator.Window {
      guard let target else { return .unknown }
      return InsertionSeparator.Window(processID: target.processID == 0 ? nil : target.processID, title: windowTitle)
    }
  }

  /// A paste whose old clipboard has not come back yet.
  private struct Settling {
    let text: [UInt8]
    let postedAt: Duration
    /// By selection; nil where reads cannot be seen.
    let watches: [WaylandClipboard.Selection: OfferWatch]
    let saved: [WaylandClipboard.Selection: WaylandClipboard.Snapshot]

    var wasRead: Bool { watches.values.contains { $0.lastRead != nil } }
  }

  private let host: WaylandHost
  private let timing: WaylandTiming
  private let display: String
  private let clipboard: WaylandClipboard
  private let sway: SwayIPC?
  /// The same for a press, which waits for the answer.
  private let quickSway: SwayIPC?
  private let statusBox: Mutex<WaylandStatus>
  /// Ends a wait of `settle` early; stays up once closing.
  private let wakeup: Wakeup
  private let isClosing = Atomic<Bool>(false)
  private let hurries = Atomic<Int>(0)

  private var settling: Settling?
  private var separator = InsertionSeparator()
  private var keyboard: UinputKeyboard?
  private var isToldUnread = false
  private var pastesBegun = 0

  init(host: WaylandHost, display: String, timing: WaylandTiming) throws(Errno) {
    self.host = host
    self.display = display
    self.timing = timing
    clipboard = WaylandClipboard(
      tools: WaylandTools(environment: host.environment, limit: timing.program), byteLimit: timing.snapshotByteLimit)
    let socket = host.environment["SWAYSOCK"].flatMap { $0.isEmpty ? nil : $0 }
    sway = socket.map { SwayIPC(path: $0, limit: timing.question) }
    quickSway = socket.map { SwayIPC(path: $0, limit: timing.focusBudget) }
    statusBox = Mutex(WaylandStatus(display: display))
    wakeup = try Wakeup()
  }

  var status: WaylandStatus { statusBox.withLock { $0 } }

  // MARK: Any thread

  /// The window that has the focus, where sway tells it.
  func frontmost() -> CapturedFocus? {
    if case .window(let window)? = quickSway?.focus() { return window.captured }
    return nil
  }

  func title(of id: UInt64) -> String? { sway?.windows()?.first { $0.id == id }?.title }

  /// Another insert waits.
  func hurry() {
    hurries.add(1, ordering: .acquiringAndReleasing)
    wakeup.signal()
  }

  /// From now on nothing is waited for.
  func close() {
    isClosing.store(true, ordering: .releasing)
    wakeup.signal()
  }

  // MARK: The worker

  /// Looks for the compositor, the programs and a way for the keys.
  func look() -> WaylandStatus {
    var status = WaylandStatus(display: display)
    status.hasLooked = true
    let globals = WaylandGlobals.socketPath(host.environment)
      .flatMap { WaylandGlobals.read(at: $0, within: timing.question) }
    status.isReachable = globals != nil
    status.hasClipboard = clipboard.isInstalled
    status.hasDataControl = WaylandGlobals.dataControls.contains { globals?.contains($0) == true }
    status.knowsWindows = sway?.windows() != nil
    status.takesVirtualKeys = globals?.contains(WaylandGlobals.virtualKeyboard) == true
    if status.takesVirtualKeys, clipboard.tools.find("wtype") != nil {
      status.keys = .wtype
    } else if globals != nil, hasKeyboard() {
      status.keys = .uinput
    }
    let changed = statusBox.withLock { known in
      defer { known = status }
      return known != status
    }
    if changed {
      Log.notice("way to paste", ["keys": status.keys?.rawValue ?? "none", "reachable": "\(status.isReachable)"])
    }
    return status
  }

  /// Ours is made once and kept: a compositor needs a while to take up a keyboard that is new.
  private func hasKeyboard() -> Bool {
    if keyboard != nil { return true }
    guard UinputKeyboard.isAllowed(host.uinputNode) else { return false }
    do throws(Errno) {
      keyboard = try UinputKeyboard(node: host.uinputNode)
      return true
    } catch {
      Log.warning("no keyboard can be made", ["node": host.uinputNode, "error": "\(error)"])
      return false
    }
  }

  /// Pastes; C-38 to C-46, in that order.
  func paste(_ paste: Paste) -> Result<Void, any Error> {
    pastesBegun += 1
    return Result { try post(paste) }
  }

  private func post(_ paste: Paste) throws {
    let status = look()
    guard status.isReachable else { throw BlurtError.accessibilityPermissionMissing }
    guard status.hasClipboard else {
      host.onNotice(.noClipboardProgram)
      throw BlurtError.accessibilityPermissionMissing
    }
    try requireFront(paste)
    let rule = try rule(of: paste)
    guard let keys = status.keys else {
      try leave(paste, rule, .noKeys)
      throw BlurtError.targetAppLost
    }
    // A window that nobody knows may be anything; Shift+Insert is taken by all kinds (B-83).
    guard let chord = rule == nil ? .shiftInsert : rule?.chord else {
      try leave(paste, rule, nil)
      throw BlurtError.noEditableTarget
    }
    // A key of ours in the kernel joins those that are held; one of wtype does not (B-71).
    guard paste.modifiersAreUp || keys == .wtype else {
      try leave(paste, rule, .modifiersHeld)
      throw BlurtError.targetAppLost
    }
    try send(paste, Self.chord(chord, keys), keys, rule)
  }

  /// What is sent: Shift+Insert is in the same place on every layout, and every kind of program takes it (B-72). A
  /// letter is sent only where it has its name (wtype), or the user asked for it.
  private static func chord(_ chord: PasteChord, _ keys: PasteKeys) -> PasteChord {
    if keys == .uinput, chord == .controlV || chord == .controlShiftV { return .shiftInsert }
    return chord
  }

  private func send(_ paste: Paste, _ chord: PasteChord, _ keys: PasteKeys, _ rule: PasteRule?) throws {
    let text = finalText(paste, rule)
    guard !text.isEmpty else { return }
    let bytes = Array(text.utf8)
    let selections: [WaylandClipboard.Selection] = chord.mayPastePrimary ? [.clipboard, .primary] : [.clipboard]
    let saved = snapshots(of: selections)
    try requireFocus(paste, rule)
    try requireFront(paste)
    try checkCancelled(paste)  // the last gate (C-41)
    if let former = settling, !former.wasRead, !former.watches.isEmpty { host.onNotice(.supersededUnread) }
    dropFormer()
    let watches = try own(bytes, selections, saved)
    for watch in watches.values { watch.beginCounting() }
    guard press(chord, keys) else {
      // The text is on the clipboard already, and stays there (C-53).
      host.onNotice(.noKeys)
      throw BlurtError.targetAppLost
    }
    separator.remember(text, in: paste.window)
    for case .unknown(let loss)? in [saved[.clipboard]] { host.onNotice(loss) }
    guard !watches.isEmpty else { return }
    settling = Settling(text: bytes, postedAt: MonotonicClock.now(), watches: watches, saved: saved)
    tellUnread(true)
  }

  /// C-44: takes the selections and makes sure that a paste would get the text (B-56).
  private func own(
    _ bytes: [UInt8], _ selections: [WaylandClipboard.Selection],
    _ saved: [WaylandClipboard.Selection: WaylandClipboard.Snapshot]
  ) throws -> [WaylandClipboard.Selection: OfferWatch] {
    let places = clipboard.tools.temporaryFolders
    var watches: [WaylandClipboard.Selection: OfferWatch] = [:]
    var owned: [WaylandClipboard.Selection] = []
    for selection in selections {
      let before = OfferWatch.folders(in: places)
      if let refusal = clipboard.offer(bytes, on: selection) {
        // No PRIMARY, or one that wl-copy takes for missing since it is empty (KWin): a window that pastes that one gets
        // nothing. With an old text in it, it would get that.
        guard selection == .primary, saved[.primary] == .empty else { throw refused(refusal) }
        continue
      }
      owned.append(selection)
      watches[selection] = OfferWatch.find(bytes, in: places, notIn: before)
    }
    let deadline = MonotonicClock.now() + timing.program
    for selection in owned {
      while !clipboard.holds(bytes, on: selection, until: deadline) {
        watches[selection]?.take()
        if watches[selection]?.isOver == true || MonotonicClock.now() >= deadline {
          host.onNotice(.clipboardTaken)
          throw WaylandError.clipboardTaken
        }
      }
    }
    return watches
  }

  private func refused(_ reason: String) -> WaylandError {
    host.onNotice(.clipboardRefused)
    return .clipboardRefused(reason)
  }

  private func press(_ chord: PasteChord, _ keys: PasteKeys) -> Bool {
    switch keys {
    case .uinput: return keyboard?.post(chord) ?? false
    case .wtype:
      let modifiers = chord.modifiers.map { $0 == .super ? "logo" : $0.rawValue }
      // wtype makes a keymap of the keys that it is told, in their order, and GTK 3 leaves the last key of a keymap out of
      // its bindings: without another one behind it the chord would do nothing there. That one only goes up.
      let arguments =
        modifiers.flatMap { ["-M", $0] } + ["-k", chord.key] + modifiers.reversed().flatMap { ["-m", $0] }
        + ["-p", "VoidSymbol"]
      return clipboard.tools.run("wtype", arguments)?.status == 0
    }
  }

  private func finalText(_ paste: Paste, _ rule: PasteRule?) -> String {
    // Where nobody knows what the window is, it may be a terminal, and a newline would run a command (B-86).
    let isSafe = rule.map { !$0.kind.isTerminal } ?? false
    let body = isSafe ? paste.text : TerminalText.sanitized(paste.text)
    return separator.finalText(body, after: paste.priorText, in: paste.window)
  }

  // MARK: Gates

  private func checkCancelled(_ paste: Paste) throws { if paste.isCancelled() { throw CancellationError() } }

  /// Behind a screen locker, in the background and on the way to sleep no key is sent (B-92).
  private func requireFront(_ paste: Paste) throws {
    guard !host.isInFront() else { return }
    try checkCancelled(paste)
    try leave(paste, nil, .notInFront)
    throw BlurtError.noEditableTarget
  }

  /// C-39, C-40: how the window of the press is pasted into, once it has the focus. Nil: no compositor tells what it is.
  private func rule(of paste: Paste) throws -> PasteRule? {
    guard let sway else { return nil }
    guard let windows = sway.windows() else {
      // The window of the press is known, and nobody says whether it still has the focus.
      guard let target = paste.target, target.windowID != nil else { return nil }
      try checkCancelled(paste)
      try leave(paste, rule(target.windowClass), nil)
      throw BlurtError.targetAppLost
    }
    guard let id = paste.target?.windowID else {
      // Nothing had the focus at the press, or nobody could tell: what has it now is good enough only if it is a window.
      guard case .window(let window)? = sway.focus() else {
        try checkCancelled(paste)
        try leave(paste, nil, nil)
        throw BlurtError.noEditableTarget
      }
      return rule(window.appID)
    }
    let window = windows.first { $0.id == id && $0.processID == paste.target?.processID }
    let rule = rule(window?.appID ?? paste.target?.windowClass)
    guard window != nil, bringToFront(id, sway, paste) else {
      try checkCancelled(paste)  // C-98
      try leave(paste, rule, nil)
      throw BlurtError.targetAppLost
    }
    return rule
  }

  private func rule(_ appID: String?) -> PasteRule {
    host.rules().rule(for: WindowClassRules.Names(windowClass: appID))
  }

  private func bringToFront(_ id: UInt64, _ sway: SwayIPC, _ paste: Paste) -> Bool {
    if hasFocus(id, sway) { return true }
    guard sway.raise(id) else { return false }
    let deadline = MonotonicClock.now() + timing.activation
    repeat {
      if hasFocus(id, sway) { return true }
      _ = SocketWait.readable([], until: min(deadline, MonotonicClock.now() + timing.activationPoll))
    } while MonotonicClock.now() < deadline && !paste.isCancelled()
    return false
  }

  private func hasFocus(_ id: UInt64, _ sway: SwayIPC) -> Bool {
    guard case .window(let window)? = sway.focus() else { return false }
    return window.id == id
  }

  /// The focus may have moved while the old clipboard was read.
  private func requireFocus(_ paste: Paste, _ rule: PasteRule?) throws {
    guard let sway, let id = paste.target?.windowID, !hasFocus(id, sway) else { return }
    try checkCancelled(paste)
    try leave(paste, rule, nil)
    throw BlurtError.targetAppLost
  }

  /// Leaves the text for the user: it stays, and no old clipboard will come back (C-53).
  private func leave(_ paste: Paste, _ rule: PasteRule?, _ notice: WaylandNotice?) throws {
    dropFormer()
    let text = finalText(paste, rule)
    if let refusal = clipboard.offer(Array(text.utf8), on: .clipboard) { throw refused(refusal) }
    if let notice { host.onNotice(notice) }
  }

  // MARK: The old clipboard

  private func snapshots(
    of selections: [WaylandClipboard.Selection]
  ) -> [WaylandClipboard.Selection: WaylandClipboard.Snapshot] {
    let deadline = MonotonicClock.now() + timing.snapshot
    let held = WaylandGlobals.socketPath(host.environment)
      .flatMap { WaylandSelections.held(at: $0, within: timing.snapshot) }
    var saved: [WaylandClipboard.Selection: WaylandClipboard.Snapshot] = [:]
    for selection in selections {
      // A paste that still settles: what it saved, never its own text.
      if let former = settling, let carried = former.saved[selection], stillOurs(selection, former) {
        saved[selection] = carried
      } else {
        saved[selection] = clipboard.snapshot(selection, held: held, until: deadline)
      }
    }
    return saved
  }

  private func stillOurs(_ selection: WaylandClipboard.Selection, _ former: Settling) -> Bool {
    guard let watch = former.watches[selection] else { return false }
    watch.take()
    return !watch.isOver
  }

  /// Waits until the text was read, and brings the old clipboard back (C-47, C-49). Returns early when another insert
  /// waits: then the old clipboard is carried over to that one.
  func settle() {
    guard let current = settling else { return }
    while true {
      for watch in current.watches.values { watch.take() }
      if current.wasRead { tellUnread(false) }
      let now = MonotonicClock.now()
      if isClosing.load(ordering: .acquiring) {
        if current.wasRead { finish(current) }
        settling = nil
        return
      }
      let due = deadline(current)
      if now >= due { break }
      let descriptors = current.watches.values.map(\.descriptor) + [wakeup.descriptor]
      if SocketWait.readable(descriptors, until: due).contains(wakeup.descriptor) { wakeup.clear() }
    }
    if hurries.load(ordering: .acquiring) > pastesBegun { return }
    finish(current)
    settling = nil
  }

  /// When waiting ends by time alone.
  private func deadline(_ current: Settling) -> Duration {
    let isHurried = hurries.load(ordering: .acquiring) > pastesBegun
    // Whoever reads has the file open and gets all of it, whatever is offered next; but the same one may read again.
    if current.watches.values.contains(where: \.isBeingRead) {
      return current.postedAt + (isHurried ? timing.takeover : timing.neverRead)
    }
    let last = current.watches.values.compactMap(\.lastRead).max()
    if isHurried {
      return last.map { $0 + timing.quietAfterRead } ?? (current.postedAt + timing.takeover)
    }
    guard let last else { return current.postedAt + timing.neverRead }
    return max(last + timing.quietAfterRead, current.postedAt + timing.settleFloor)
  }

  private func finish(_ current: Settling) {
    guard current.wasRead else {
      // Not at all rather than too early: who reads late must not get the old clipboard (B-54).
      if !current.watches.values.contains(where: \.isOver) { host.onNotice(.neverRead) }
      tellUnread(false)
      return
    }
    for (selection, snapshot) in current.saved {
      guard stillOurs(selection, current),
        clipboard.holds(current.text, on: selection, until: MonotonicClock.now() + timing.snapshot)
      else { continue }
      switch snapshot {
      case .empty: clipboard.clear(selection)
      case .content(let type, let bytes, let isWhole):
        if let refusal = clipboard.offer(bytes, type: type, on: selection) {
          Log.warning("the old clipboard could not be put back", ["reason": refusal])
        } else if !isWhole, selection == .clipboard {
          host.onNotice(.oldClipboardInOneForm)
        }
      case .unknown: break
      }
    }
  }

  /// Another text takes the place of the former one; what that had saved does not come back by itself any more.
  private func dropFormer() {
    settling = nil
    tellUnread(false)
  }

  private func tellUnread(_ isUnread: Bool) {
    guard isUnread != isToldUnread else { return }
    isToldUnread = isUnread
    host.onUnread(isUnread)
  }
}
