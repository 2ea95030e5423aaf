internal import BlurtOS
internal import CX11

/// What the server sends, and what follows from it.
extension X11Connection {
  /// Sends what is queued, reads what has come and dispatches it. Does not block.
  func drain() {
    guard let session else { return }
    while XPending(session.display.raw) > 0 { dispatchNext(session) }
  }

  /// Asks the server something small and waits for the answer, so that all events up to now are dispatched, among them
  /// the one that carries the server's time, which is returned. One round trip.
  func serverTime(_ session: Session) -> Time {
    session.display.requestTime()
    XSync(session.display.raw, 0)
    dispatchQueued(session)
    return session.display.lastTime
  }

  /// Dispatches what has been read from the connection: after a round trip, everything that happened before it.
  func dispatchQueued(_ session: Session) {
    while XEventsQueued(session.display.raw, QueuedAlready) > 0 { dispatchNext(session) }
  }

  private func dispatchNext(_ session: Session) {
    var event = XEvent()
    XNextEvent(session.display.raw, &event)
    let now = MonotonicClock.now()
    switch event.type {
    case SelectionRequest: answer(event.xselectionrequest, session, now)
    case SelectionClear: cleared(event.xselectionclear, session)
    case SelectionNotify: notified(event.xselection, session)
    case PropertyNotify: propertyChanged(event.xproperty, session, now)
    case DestroyNotify:
      for ended in session.transfers.windowDestroyed(event.xdestroywindow.window) { noteEnded(ended, session, now) }
    case MappingNotify: session.keyboard.mappingChanged(&event.xmapping)
    case session.display.ownerChangeEvent: ownerChanged(&event, session)
    default: break
    }
  }

  func owner(of selection: Atom, _ session: Session) -> SelectionOwner? {
    [session.clipboard, session.primary].first { $0.selection == selection }
  }

  private func ownerChanged(_ event: inout XEvent, _ session: Session) {
    withUnsafeBytes(of: &event) { bytes in
      let change = bytes.load(as: XFixesSelectionNotifyEvent.self)
      if change.owner != session.display.window { session.ownerChanges[change.selection, default: 0] += 1 }
    }
  }

  private func answer(_ request: XSelectionRequestEvent, _ session: Session, _ now: Duration) {
    guard let owner = owner(of: request.selection, session) else { return }
    for outcome in owner.answer(request, now: now) {
      switch outcome {
      case .read(let read) where read.isText: noteRead(read, session) { $0.read(at: now) }
      case .read(let read): noteRead(read, session) { $0.asked(at: now) }
      case .began(let read): noteRead(read, session) { $0.readBegan() }
      case .ended(let ended): noteEnded(ended, session, now)
      }
    }
  }

  func noteEnded(_ ended: OutgoingTransfers.Ended, _ session: Session, _ now: Duration) {
    noteRead(ended.read, session) { $0.readEnded(complete: ended.isComplete, at: now) }
  }

  /// Tells the receipt of the paste that settles, where what was read was put there for it.
  private func noteRead(
    _ read: SelectionOwner.Read, _ session: Session, _ byTarget: (inout PasteReceipt) -> Void
  ) {
    guard let current = settling, read.purpose == .transient(current.number) else { return }
    let client = session.display.client(of: read.requestor)
    if !current.clients.contains(client), !current.isTreeKnown {
      // A window inside the target's may belong to another client that answers its keys (XEmbed).
      settling?.clients.formUnion(session.windows.clients(inside: current.window))
      settling?.isTreeKnown = true
    }
    if settling?.clients.contains(client) == true {
      // What is told now must be true if this process dies next: the text has to be on its way.
      XFlush(session.display.raw)
      if var receipt = settling?.receipt {
        byTarget(&receipt)
        settling?.receipt = receipt
      }
    } else if read.isText {
      settling?.receipt.readByAnother()
    }
  }

  private func cleared(_ event: XSelectionClearEvent, _ session: Session) {
    // The event may be older than our present ownership, so the server is asked.
    guard let owner = owner(of: event.selection, session), owner.contents != nil, !owner.isOwner() else { return }
    settling?.saved[event.selection] = nil
    if settling?.saved.isEmpty == true { settling = nil }
  }

  private func notified(_ event: XSelectionEvent, _ session: Session) {
    if event.selection == session.display.atoms[.clipboardManager] {
      if session.isHandedOver != nil { session.isHandedOver = true }
      return
    }
    for reader in session.readers where reader.handle(event) { return }
    // An answer that comes too late is cleared away, unless more would follow: a deletion asks for that.
    let display = session.display
    guard event.property != Atom(None), let late = display.property(display.window, event.property, byteLimit: 4),
      late.type != display.atoms[.incremental]
    else { return }
    XDeleteProperty(display.raw, display.window, event.property)
    session.landing.answeredLate(event.property)
  }

  private func propertyChanged(_ event: XPropertyEvent, _ session: Session, _ now: Duration) {
    let display = session.display
    if event.window == display.window {
      if event.atom == display.atoms[.clock] {
        display.lastTime = event.time
      } else if event.state == PropertyNewValue {
        for reader in session.readers { reader.handleNewValue(in: event.atom) }
      }
    } else if event.window == display.root {
      if event.atom == display.atoms[.activeWindow] { session.activations += 1 }
    } else if event.state == PropertyDelete {
      let key = OutgoingTransfers.Key(window: event.window, property: event.atom)
      if let ended = session.transfers.propertyDeleted(key, now: now) { noteEnded(ended, session, now) }
    }
  }
}
