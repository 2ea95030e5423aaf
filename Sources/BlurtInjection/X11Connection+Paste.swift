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

    /// The window as the separator knows it (C-57). Without a target it is like no other.
    var window: InsertionSeparator.Window {
      guard let target else { return .unknown }
      return InsertionSeparator.Window(processID: target.processID == 0 ? nil : target.processID, title: windowTitle)
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
  /// cancel possible until the moment the clipboard is taken. From there to the chord nothing is awaited.
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
    let text = finalText(paste, destination.rule)
    guard !text.isEmpty else { return }
    try requireEditable(destination, text, session)
    guard session.display.hasXTest else { throw BlurtError.accessibilityPermissionMissing }
    guard let chord = destination.rule.chord, let plan = session.keyboard.plan(for: chord) else {
      try leave(text, session)
      throw chordError(destination.rule)
    }

    let owners = plan.mayPastePrimary ? [session.clipboard, session.primary] : [session.clipboard]
    let fetched = try await snapshots(of: owners, session)
    try await requireKeyboard(text, session)
    guard destination.hasFocus(session.windows) else {
      try Task.checkCancellation()
      try leave(text, session)
      throw BlurtError.targetAppLost
    }
    try requireFront(paste, session)
    try Task.checkCancellation()  // the last gate (C-41)
    try post(text, plan, owners, fetched, destination, session)
    separator.remember(text, in: paste.window)
  }

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
      try leave(finalText(paste, rule), session)
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
    try leave(finalText(paste, rule), session)
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
    try leave(finalText(paste, rule), session)
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

  /// C-42. Without accessibility every window but the desktop and the panels counts as editable (C-62).
  private func requireEditable(_ destination: Destination, _ text: String, _ session: Session) throws {
    guard !destination.rule.kind.isOpaque, session.windows.isDesktopOrDock(destination.window) else { return }
    try leave(text, session)
    throw BlurtError.noEditableTarget
  }

  /// `never`: the user wants no paste there. Otherwise the keyboard has neither the key nor Insert.
  private func chordError(_ rule: PasteRule) -> BlurtError { rule.chord == nil ? .noEditableTarget : .targetAppLost }

  private func finalText(_ paste: Paste, _ rule: PasteRule) -> String {
    let body = rule.kind.isTerminal ? TerminalText.sanitized(paste.text) : paste.text
    return separator.finalText(body, after: paste.priorText, in: paste.window)
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

  /// What the selections hold that we do not own (C-44, C-74). Read again once if the owner changes meanwhile.
  private func snapshots(of owners: [SelectionOwner], _ session: Session) async throws -> [Atom: ClipboardSnapshot] {
    let display = session.display
    func holders() -> [Window] { owners.map { XGetSelectionOwner(display.raw, $0.selection) } }
    var before = holders()
    for _ in 0..<2 {
      let budget = ByteBudget(timing.snapshotByteLimit)
      var readers: [Atom: SelectionReader] = [:]
      for (number, owner) in owners.enumerated()
      where before[number] != Window(None) && before[number] != display.window {
        readers[owner.selection] = SelectionReader(
          selection: owner.selection, number: number, budget: budget, display: display)
      }
      if readers.isEmpty { return [:] }
      let time = serverTime(session)
      session.readers = Array(readers.values)
      defer { session.readers = [] }
      for reader in session.readers { reader.begin(at: time) }
      XFlush(display.raw)
      let fetching = session.readers
      try check(
        await wait(until: MonotonicClock.now() + timing.snapshot) {
          fetching.allSatisfy(\.isDone) || display.isBroken
        })
      let after = holders()
      if after == before { return readers.mapValues { $0.result() } }
      before = after
    }
    return Dictionary(uniqueKeysWithValues: owners.map { ($0.selection, ClipboardSnapshot.unknown(.ownerSilent)) })
  }

  /// What is to come back for one selection.
  private func saved(_ owner: SelectionOwner, _ fetched: [Atom: ClipboardSnapshot]) -> ClipboardSnapshot {
    // A paste that still settles: what it saved, never its own text.
    if let carried = settling?.saved[owner.selection], owner.isOwner() { return carried }
    if owner.isOwner(), let contents = owner.contents { return .contents(contents.representations) }
    return fetched[owner.selection] ?? (owner.hasForeignOwner() ? .unknown(.ownerSilent) : .empty)
  }

  // MARK: The keys

  /// C-44 to C-46: takes the clipboard, makes sure of it, presses the keys.
  private func post(
    _ text: String, _ plan: X11Keyboard.Plan, _ owners: [SelectionOwner], _ fetched: [Atom: ClipboardSnapshot],
    _ destination: Destination, _ session: Session
  ) throws {
    var saved = settling?.saved ?? [:]
    for owner in owners { saved[owner.selection] = self.saved(owner, fetched) }
    if let former = settling, !former.receipt.wasRead { host.onNotice(.supersededUnread) }
    settling = nil

    lastPaste += 1
    let time = serverTime(session)
    for owner in owners {
      owner.own(
        .text(
          text, purpose: .transient(lastPaste), hidden: saved[owner.selection]?.loss == nil,
          atoms: session.display.atoms),
        at: time)
    }
    if let afterOwning = host.afterOwning {
      XSync(session.display.raw, 0)
      afterOwning()
    }
    // B-56: whoever took it meanwhile has the user's newest copy; it must be neither pasted nor replaced.
    guard session.clipboard.isOwner(), !plan.mayPastePrimary || session.primary.isOwner() else {
      if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
      putBack(saved, session)
      host.onNotice(.clipboardTaken)
      throw X11Error.clipboardTaken
    }
    let triggerKey = host.triggerKeyCode().flatMap { KeyCode(exactly: $0 + Self.evdevOffset) }
    let target = session.display.client(of: destination.window)
    let focused = session.windows.focusedWindow().map { session.display.client(of: $0) }
    guard session.keyboard.post(plan, triggerKey: triggerKey), !session.display.isBroken else {
      if session.display.isBroken { throw BlurtError.accessibilityPermissionMissing }
      for owner in owners { owner.makeLasting() }
      throw BlurtError.targetAppLost
    }
    settling = Settling(
      number: lastPaste, receipt: PasteReceipt(postedAt: MonotonicClock.now(), timing: timing),
      window: destination.window, clients: Set([target, focused].compactMap(\.self)), saved: saved)
    if let loss = saved[session.clipboard.selection]?.loss { host.onNotice(.notRestored(loss)) }
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
