internal import BlurtEngine
internal import BlurtOS
internal import CX11

extension X11Connection {
  /// One insert, as the caller of the seam gave it.
  struct Paste: Sendable {
    let text: String
    let target: CapturedFocus?
    let priorText: String?
    let windowTitle: String?

    /// The number of a window that names no process.
    var anonymousWindow: UInt64? { target.flatMap { $0.processID == 0 ? $0.windowID : nil } }

    /// The window as the separator knows it (C-57). Without a target it is like no other.
    func window(_ windowID: UInt64?) -> InsertionSeparator.Window {
      guard let target else { return .unknown }
      return InsertionSeparator.Window(
        processID: target.processID == 0 ? nil : target.processID, title: windowTitle, windowID: windowID)
    }
  }

  /// Where the keys will go, and how that program pastes.
  private struct Destination {
    let window: Window
    let rule: PasteRule
    /// The window of the press. Otherwise it is whatever has the focus.
    let isTarget: Bool

    /// Whether the keys would still go there.
    func hasFocus(_ windows: X11Windows) -> Bool {
      isTarget ? windows.isFocused(window) : windows.focusedTopLevel() == window
    }
  }

  /// Pastes and returns when the chord was posted: C-38 to C-46, in that order. C-47 follows by itself.
  ///
  /// The old clipboard is read before the last gate, which is legal, since reading leaves it as it is, and which keeps a
  /// cancel possible until the moment the clipboard is taken. From there to the chord nothing is awaited. What another
  /// program copies until then is read as well, so that it is what comes back.
  func paste(_ paste: Paste) async throws {
    let ticket = nextTicket
    nextTicket += 1
    defer { endTurn(ticket) }
    try check(await wait(until: nil) { self.servedTicket == ticket })
    try await waitForFormerPaste()
    _ = await host.waitForModifiersReleased(timing.modifierWait)
    try Task.checkCancellation()
    guard let session = openSession() else { throw BlurtError.accessibilityPermissionMissing }

    try requireFront(paste, session)
    let destination = try await destination(of: paste, session)
    let text = finalText(paste, destination.rule, session)
    guard !text.isEmpty else { return }
    try await requireEditable(destination, of: paste.target, text, session)
    guard session.display.hasXTest else { throw BlurtError.accessibilityPermissionMissing }
    guard let chord = destination.rule.chord, let plan = session.keyboard.plan(for: chord) else {
      try leave(text, session)
      throw chordError(destination.rule)
    }

    let owners = plan.mayPastePrimary ? [session.clipboard, session.primary] : [session.clipboard]
    for owner in owners { session.watchOwner(of: owner.selection, true) }
    defer { for owner in owners { session.watchOwner(of: owner.selection, false) } }
    for _ in 0..<Self.claimLimit {
      let old = try await readOld(owners, session)
      try await requireKeyboard(text, session)
      guard destination.hasFocus(session.windows) else {
        try Task.checkCancellation()
        try leave(text, session)
        throw BlurtError.targetAppLost
      }
      try requireFront(paste, session)
      try Task.checkCancellation()  // the last gate (C-41)
      guard try post(text, plan, owners, old, destination, session) else { continue }
      separator.remember(text, in: paste.window(paste.anonymousWindow))
      if let id = paste.anonymousWindow { session.windows.markAsPasted(Window(id)) }
      return
    }
    // Somebody copies without end. What they copy is theirs (C-49).
    host.onNotice(.clipboardTaken)
    throw X11Error.clipboardTaken
  }

  /// So many times the old clipboard is read again because somebody has copied something new meanwhile.
  private static let claimLimit = 4

  // MARK: In line

  private func endTurn(_ ticket: UInt64) {
    guard servedTicket == ticket else {
      abandonedTickets.insert(ticket)
      return
    }
    servedTicket += 1
    while abandonedTickets.remove(servedTicket) != nil { servedTicket += 1 }
  }

  private func check(_ result: WaitResult) throws {
    switch result {
    case .satisfied, .timedOut: return
    case .cancelled: throw CancellationError()
    case .closed: throw BlurtError.accessibilityPermissionMissing
    }
  }

  /// C-35: the former target gets its text before this insert puts another one there; not for ever, though.
  ///
  /// The old clipboard need not come back in between: it is carried over to this insert.
  private func waitForFormerPaste() async throws {
    while let current = settling {
      let due = current.receipt.takeoverDeadline
      if let due, due <= MonotonicClock.now() { return }
      try check(
        await wait(until: due) {
          self.settling?.number != current.number || self.settling?.receipt.takeoverDeadline != due
        })
    }
  }

  // MARK: Where to

  /// C-39, C-40. On failure the final text is left on the clipboard.
  private func destination(of paste: Paste, _ session: Session) async throws -> Destination {
    let windows = session.windows
    if let target = paste.target, let id = target.windowID {
      let window = Window(id)
      guard windows.isStillThere(target) else {
        let rule = host.rules().rule(for: WindowClassRules.Names(windowClass: target.windowClass))
        return try abandon(paste, rule, session)
      }
      let rule = rule(of: window, session)
      guard try await bringToFront(window, session) else { return try abandon(paste, rule, session) }
      return Destination(window: window, rule: rule, isTarget: true)
    }
    guard let window = windows.focusedTopLevel() else {
      try Task.checkCancellation()
      let rule = host.rules().rule(for: WindowClassRules.Names(windowClass: paste.target?.windowClass))
      try leave(finalText(paste, rule, session), session)
      throw host.isWaylandSession() ? BlurtError.targetAppLost : BlurtError.noEditableTarget
    }
    let rule = rule(of: window, session)
    if let target = paste.target, target.processID != 0, windows.processID(of: window) != target.processID {
      return try abandon(paste, rule, session)
    }
    return Destination(window: window, rule: rule, isTarget: false)
  }

  /// C-98: a cancel that came meanwhile wins; else the text is left and the target is lost.
  private func abandon(_ paste: Paste, _ rule: PasteRule, _ session: Session) throws -> Destination {
    try Task.checkCancellation()
    if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    try leave(finalText(paste, rule, session), session)
    throw BlurtError.targetAppLost
  }

  private func rule(of window: Window, _ session: Session) -> PasteRule {
    let (rules, names) = (host.rules(), names(of: window, session))
    let usual = rules.rule(for: names)
    // What the class does not tell, the process may; /proc is looked at only where that could change anything.
    guard usual.kind == .other || (usual.kind.isTerminal && rules.hasOverrides) else { return usual }
    let processID = session.windows.localProcessID(of: window)
    guard processID > 0 else { return usual }
    return rules.rule(for: names, program: WindowProcess(id: processID).traits(withForeground: rules.hasOverrides))
  }

  private func bringToFront(_ window: Window, _ session: Session) async throws -> Bool {
    if session.windows.isFocused(window) { return true }
    session.windows.watchActive(true)
    defer { session.windows.watchActive(false) }
    session.windows.activate(window, at: serverTime(session))
    let deadline = MonotonicClock.now() + timing.activation
    while true {
      if session.display.isBroken { return false }
      if session.windows.isFocused(window) { return true }
      let now = MonotonicClock.now()
      if now >= deadline || session.display.isBroken { return false }
      let seen = session.activations
      try check(
        await wait(until: min(deadline, now + timing.activationPoll)) {
          session.activations != seen || session.display.isBroken
        })
    }
  }

  /// Behind a screen locker, in the background and on the way to sleep no window is brought to the front and no key is sent:
  /// the text is left on the clipboard (B-92, B-29).
  private func requireFront(_ paste: Paste, _ session: Session) throws {
    guard !host.isInFront() else { return }
    try Task.checkCancellation()
    let rule = host.rules().rule(for: WindowClassRules.Names(windowClass: paste.target?.windowClass))
    try leave(finalText(paste, rule, session), session)
    host.onNotice(.notInFront)
    throw BlurtError.noEditableTarget
  }

  /// A keyboard that another program keeps to itself is waited for as long as a window would be (a menu that closes, a key
  /// binding that is let go); then the text is left on the clipboard (B-92).
  private func requireKeyboard(_ text: String, _ session: Session) async throws {
    let deadline = MonotonicClock.now() + timing.activation
    while session.keyboard.isGrabbed {
      let now = MonotonicClock.now()
      guard now < deadline else {
        try Task.checkCancellation()
        try leave(text, session)
        host.onNotice(.keyboardGrabbed)
        throw BlurtError.noEditableTarget
      }
      // The server tells nobody of the end of a grab.
      try check(await wait(until: min(deadline, now + timing.activationPoll)) { session.display.isBroken })
      if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    }
  }

  /// C-42. What accessibility does not know counts as editable (C-62), but for the desktop and the panels; into opaque
  /// programs it does not see (C-60).
  private func requireEditable(
    _ destination: Destination, of target: CapturedFocus?, _ text: String, _ session: Session
  ) async throws {
    guard !destination.rule.kind.isOpaque else { return }
    var isRefused = session.windows.isDesktopOrDock(destination.window)
    if !isRefused, destination.isTarget { isRefused = await host.takesNoText(target) }
    if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    guard isRefused else { return }
    try Task.checkCancellation()
    try leave(text, session)
    throw BlurtError.noEditableTarget
  }

  /// `never`: the user wants no paste there. Otherwise the keyboard has neither the key nor Insert.
  private func chordError(_ rule: PasteRule) -> BlurtError { rule.chord == nil ? .noEditableTarget : .targetAppLost }

  private func finalText(_ paste: Paste, _ rule: PasteRule, _ session: Session) -> String {
    let body = rule.kind.isTerminal ? TerminalText.sanitized(paste.text) : paste.text
    let id = paste.anonymousWindow.flatMap { session.windows.isMarkedAsPasted(Window($0)) ? $0 : nil }
    return separator.finalText(body, after: paste.priorText, in: paste.window(id))
  }

  // MARK: The clipboard

  /// Leaves the text for the user: it stays, and no old clipboard will come back (C-53).
  private func leave(_ text: String, _ session: Session) throws {
    if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    if var current = settling {
      current.saved[session.clipboard.selection] = nil
      restore(current, session)
    }
    let time = serverTime(session)
    session.clipboard.own(
      .text(text, purpose: .lasting, hidden: false, atoms: session.display.atoms), at: time)
    guard session.clipboard.isOwner() else { throw X11Error.clipboardTaken }
  }

  /// What a selection held, and how to tell whether it still does.
  private struct Old {
    let snapshot: ClipboardSnapshot
    let holder: Window
    /// A program that copies again keeps its window, so the changes are counted too.
    let changeCount: Int
  }

  /// Reads what is to come back (C-44, C-74), or takes what was read since key-up. Ends early where somebody copies something
  /// new: then it is outdated anyway.
  private func readOld(_ owners: [SelectionOwner], _ session: Session) async throws -> [Atom: Old] {
    let display = session.display
    let readings = begin(owners, session)
    defer { for reading in readings { reading.end() } }
    if let deadline = readings.filter({ !$0.isDone }).map(\.deadline).max() {
      let result = await wait(until: deadline) {
        let now = MonotonicClock.now()
        return readings.allSatisfy { $0.isDone || $0.deadline <= now } || display.isBroken
          || readings.contains { $0.isOutdated }
      }
      try check(result)
      // The connection is closed by now.
      if display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    }
    var old: [Atom: Old] = [:]
    for (owner, reading) in zip(owners, readings) {
      old[owner.selection] = Old(
        snapshot: snapshot(of: owner, reading, session), holder: reading.holder, changeCount: reading.changeCount)
    }
    return old
  }

  /// One reading for each, in their order. What was read ahead serves unless it is outdated.
  private func begin(_ owners: [SelectionOwner], _ session: Session) -> [ClipboardReading] {
    let ahead = session.ahead
    let isUsable = ahead.map { !$0.isOutdated && !$0.mayBeOld } ?? false
    if isUsable {
      // From here on it is this insert's, and so is its watch.
      session.ahead = nil
      if let ahead { session.watchOwner(of: ahead.selection, false) }
    } else {
      forgetAhead()
    }
    let budget = isUsable ? ahead?.budget : nil
    let missing = owners.filter { !isUsable || $0.selection != ahead?.selection }
    var fresh: [ClipboardReading] = []
    if !missing.isEmpty {
      let time = serverTime(session)
      let deadline = MonotonicClock.now() + timing.snapshot
      let budget = budget ?? ByteBudget(timing.snapshotByteLimit)
      fresh = missing.map { owner in
        ClipboardReading(of: owner.selection, at: time, until: deadline, budget: budget, in: session) {
          dispatchQueued(session)
        }
      }
      XFlush(session.display.raw)
    }
    return owners.compactMap { owner in
      isUsable && owner.selection == ahead?.selection ? ahead : fresh.first { $0.selection == owner.selection }
    }
  }

  private func snapshot(of owner: SelectionOwner, _ reading: ClipboardReading, _ session: Session) -> ClipboardSnapshot
  {
    if reading.holder == Window(None) { return .empty }
    guard reading.holder == session.display.window else { return reading.result() ?? .unknown(.ownerSilent) }
    // A paste that still settles: what it saved, never its own text.
    return settling?.saved[owner.selection] ?? owner.contents.map { .contents($0.representations) }
      ?? .unknown(.ownerSilent)
  }

  // MARK: The keys

  /// What came of the keys.
  private enum Posted {
    case done
    /// Somebody has copied something since it was read.
    case outdated
    case clipboardTaken
    /// The focus has moved, or another program has grabbed the keyboard; nothing was taken.
    case keysWouldGoElsewhere
    /// The same, as far as the clipboard was taken by then.
    case keysWouldGoElsewhereNow
    case noKeys
  }

  /// C-44 to C-46: takes the clipboard, makes sure of it and of the focus, presses the keys. False, with nothing done, where
  /// somebody has copied something since `old` was read, or where the keys would now go elsewhere.
  private func post(
    _ text: String, _ plan: X11Keyboard.Plan, _ owners: [SelectionOwner], _ old: [Atom: Old],
    _ destination: Destination, _ session: Session
  ) throws -> Bool {
    let display = session.display
    let triggerKey = host.triggerKeyCode().flatMap { KeyCode(exactly: $0 + Self.evdevOffset) }
    let focused = session.windows.focusedWindow().map { display.client(of: $0) }
    let clients = Set([display.client(of: destination.window), focused].compactMap(\.self))
    let time = serverTime(session)
    // Files may be looked at for that, which nobody else has to wait for.
    let isHidden = host.hidesFromHistories()
    // Nobody copies between the look and the change, so that nobody's copy is lost, and none takes the clipboard, moves
    // the focus or grabs the keyboard between that and the last key.
    let (saved, posted) = display.exclusively { () -> ([Atom: ClipboardSnapshot], Posted) in
      guard destination.hasFocus(session.windows), !session.keyboard.isGrabbed else {
        return ([:], .keysWouldGoElsewhere)
      }
      guard let saved = claim(text, owners, old, isHidden, at: time, session) else { return ([:], .outdated) }
      if let afterOwning = host.afterOwning { display.lettingOthersIn(afterOwning) }
      // B-56: whoever took it after all has the user's newest copy; it must be neither pasted nor replaced.
      guard owners.allSatisfy({ $0.isOwner() }) else { return (saved, .clipboardTaken) }
      guard destination.hasFocus(session.windows), !session.keyboard.isGrabbed else {
        return (saved, .keysWouldGoElsewhereNow)
      }
      return (saved, session.keyboard.post(plan, triggerKey: triggerKey) ? .done : .noKeys)
    }
    if display.isBroken { throw BlurtError.accessibilityPermissionMissing }
    if posted == .outdated || posted == .keysWouldGoElsewhere { return false }
    // Told when the others are let in again: those who are told look at files.
    if let former = settling, !former.receipt.wasRead { host.onNotice(.supersededUnread) }
    settling = nil
    switch posted {
    case .done, .outdated, .keysWouldGoElsewhere: break
    case .keysWouldGoElsewhereNow:
      putBack(saved, session)
      return false
    case .clipboardTaken:
      putBack(saved, session)
      host.onNotice(.clipboardTaken)
      throw X11Error.clipboardTaken
    case .noKeys:
      for owner in owners { owner.makeLasting() }
      throw BlurtError.targetAppLost
    }
    settling = Settling(
      number: lastPaste, receipt: PasteReceipt(postedAt: MonotonicClock.now(), timing: timing),
      window: destination.window, clients: clients, saved: saved)
    if let loss = saved[session.clipboard.selection]?.loss { host.onNotice(.notRestored(loss)) }
    return true
  }

  /// Takes the selections, if they still are what was read. Returns what is to come back; nil where nothing was taken.
  private func claim(
    _ text: String, _ owners: [SelectionOwner], _ old: [Atom: Old], _ isHidden: Bool, at time: Time, _ session: Session
  ) -> [Atom: ClipboardSnapshot]? {
    let holders = owners.map { XGetSelectionOwner(session.display.raw, $0.selection) }
    dispatchQueued(session)
    for (owner, holder) in zip(owners, holders) {
      guard let known = old[owner.selection], known.holder == holder,
        known.changeCount == session.ownerChanges[owner.selection, default: 0]
      else { return nil }
    }
    var saved = settling?.saved ?? [:]
    for (selection, known) in old { saved[selection] = known.snapshot }
    lastPaste += 1
    for owner in owners {
      let contents = ClipboardContents.text(
        text, purpose: .transient(lastPaste), hidden: isHidden && saved[owner.selection]?.loss == nil,
        atoms: session.display.atoms)
      owner.own(contents, at: time)
    }
    return saved
  }

  /// No paste after all: what is still ours gets its old contents back.
  private func putBack(_ saved: [Atom: ClipboardSnapshot], _ session: Session) {
    restore(
      Settling(
        number: lastPaste, receipt: PasteReceipt(postedAt: MonotonicClock.now(), timing: timing),
        window: session.display.window, clients: [], saved: saved),
      session)
  }

  /// An X keycode is the evdev code plus this (XKB's `evdev` keycodes).
  private static let evdevOffset = 8
}
