internal import BlurtEngine
internal import BlurtOS
internal import CX11
internal import Glibc
internal import Synchronization

/// Everything that is done with the X server, on one thread of its own.
///
/// The actor's executor is that thread, so that Xlib, which blocks, never holds up Swift's shared pool. Between jobs the
/// thread polls the connection, without a timeout when nothing is pending. `start` and `stop` must be called in pairs.
actor X11Connection {
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

  /// One connection to a server, with what is kept for it.
  final class Session {
    let display: X11Display
    let windows: X11Windows
    let keyboard: X11Keyboard
    let transfers: OutgoingTransfers
    let clipboard: SelectionOwner
    let primary: SelectionOwner
    /// The old contents on their way in.
    var readers: [SelectionReader] = []
    let landing: LandingProperties
    /// The old clipboard, read for an insert that is expected.
    var ahead: ClipboardReading?
    /// How often another program has taken or left a selection, counted while that is watched.
    var ownerChanges: [Atom: Int] = [:]
    private var watches: [Atom: Int] = [:]
    /// How often `_NET_ACTIVE_WINDOW` has changed.
    var activations = 0
    /// The clipboard manager has answered; nil while no answer is awaited.
    var isHandedOver: Bool?

    init(display: X11Display, timing: InjectionTiming) {
      self.display = display
      windows = X11Windows(display: display)
      keyboard = X11Keyboard(display: display)
      landing = LandingProperties(display.atoms.landing)
      transfers = OutgoingTransfers(display: display, stall: timing.transferStall)
      clipboard = SelectionOwner(selection: display.atoms[.clipboard], display: display, transfers: transfers)
      primary = SelectionOwner(selection: Atom(XA_PRIMARY), display: display, transfers: transfers)
    }

    /// Counts the changes of a selection's owner until as many calls end it as began it.
    func watchOwner(of selection: Atom, _ isWanted: Bool) {
      let former = watches[selection, default: 0]
      watches[selection] = former + (isWanted ? 1 : -1)
      if former == (isWanted ? 0 : 1) { display.watchOwner(of: selection, isWanted) }
    }
  }

  /// A paste whose old clipboard has not come back yet.
  struct Settling {
    let number: UInt64
    var receipt: PasteReceipt
    /// The window that has the focus.
    let window: Window
    /// Clients whose reads are the target's.
    var clients: Set<UInt>
    /// Clients inside the window were looked up as well.
    var isTreeKnown = false
    /// What to bring back, by selection.
    var saved: [Atom: ClipboardSnapshot]
  }

  /// How a wait ended.
  enum WaitResult {
    case satisfied
    case timedOut
    case cancelled
    /// The connection is being stopped.
    case closed
  }

  private final class CancelFlag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  private struct Waiter {
    let deadline: Duration?
    let cancelled: CancelFlag
    /// Closing does not end it: it is part of closing.
    var isForClosing = false
    let condition: () -> Bool
    let continuation: CheckedContinuation<WaitResult, Never>
  }

  let host: Host
  let timing: InjectionTiming
  var session: Session?
  var settling: Settling? {
    didSet {
      let isUnread = settling.map { !$0.receipt.wasRead } ?? false
      // A stop puts the text away unread: that is no receipt.
      guard isUnread != self.isUnread, settling != nil || !isClosing else { return }
      self.isUnread = isUnread
      host.onUnread(isUnread)
    }
  }
  /// The paste keys were sent, and the target has not read the text yet.
  private var isUnread = false
  var separator = InsertionSeparator()
  /// Numbers the pastes.
  var lastPaste: UInt64 = 0
  /// The inserts stand in line by number (C-35).
  var nextTicket: UInt64 = 0
  var servedTicket: UInt64 = 0
  var abandonedTickets: Set<UInt64> = []
  /// How often the thread has looked at the world. For tests: idle must not move it.
  private(set) var turnCount = 0
  private var waiters: [Waiter] = []
  /// While there is no session, and one was asked for.
  private let displayWait = DisplayWait()
  private var isClosing = false
  private var isClosed = false

  nonisolated let executor: X11Executor
  nonisolated let statusBox = Mutex(DisplayStatus.unknown)
  nonisolated private let thread = Mutex<WorkerThread?>(nil)

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(host: Host, timing: InjectionTiming) throws(Errno) {
    self.host = host
    self.timing = timing
    executor = try X11Executor()
  }

  // MARK: The thread

  nonisolated func start() throws(Errno) {
    let worker = try WorkerThread(name: "blurt-x11") { [self] in
      executor.adoptCurrentThread()
      loop()
    }
    thread.withLock { $0 = worker }
  }

  /// Settles what is pending, hands the clipboard over and joins the thread. Blocks for at most `handover` and the
  /// longest wait of an insert that is under way, all of which are cut short. A second call does nothing.
  nonisolated func stop() {
    guard executor.close() else { return }
    executor.wake()
    let worker = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    worker?.join()
  }

  /// What the thread polls for next.
  private struct Turn: Sendable {
    let connection: Int32?
    let timeout: Int32
    let isLast: Bool
  }

  nonisolated private func loop() {
    while true {
      executor.runJobs()
      let turn = assumeIsolated { $0.turn() }
      if executor.hasJobs { continue }
      if turn.isLast { return }
      var set = [pollfd(fd: executor.wakeupDescriptor, events: Int16(POLLIN), revents: 0)]
      if let connection = turn.connection { set.append(pollfd(fd: connection, events: Int16(POLLIN), revents: 0)) }
      _ = poll(&set, nfds_t(set.count), turn.timeout)
      if set[0].revents != 0 { executor.clearWakeup() }
    }
  }

  /// Serves what the server has sent, lets time do its work, and says what to poll for.
  private func turn() -> Turn {
    turnCount += 1
    if !isClosing, executor.isClosing { beginClosing() }
    drain()
    let now = MonotonicClock.now()
    if let session {
      for ended in session.transfers.expire(now: now) { noteEnded(ended, session, now) }
      settleIfDue(session, now)
    }
    loseSessionIfBroken()
    if session == nil, !isClosing, displayWait.isDue(now: now) { _ = openSession() }
    resumeWaiters(now)
    // Sends what is queued. A round trip above may also have brought events that no poll would report any more.
    let isMoreThere = session.map { XPending($0.display.raw) > 0 } ?? false
    let deadlines =
      waiters.compactMap(\.deadline)
      + [session?.transfers.nextDeadline, settling?.receipt.nextDeadline, isClosing ? nil : displayWait.nextLook]
      .compactMap(\.self)
    return Turn(
      connection: session?.display.descriptor ?? (isClosing ? nil : displayWait.descriptor),
      timeout: isMoreThere ? 0 : Self.milliseconds(until: deadlines.min(), from: now),
      isLast: isClosed && executor.isDeserted && waiters.isEmpty)
  }

  /// For poll: −1 without a deadline; rounded up, so that it has passed when the poll returns.
  private static func milliseconds(until deadline: Duration?, from now: Duration) -> Int32 {
    guard let deadline else { return -1 }
    let left = max(.zero, deadline - now)
    let (seconds, attoseconds) = left.components
    return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  // MARK: Waiting

  /// Suspends until the condition holds, the deadline passes, or the task is cancelled. The condition is looked at after
  /// each batch of events.
  func wait(until deadline: Duration?, _ condition: @escaping () -> Bool) async -> WaitResult {
    if condition() { return .satisfied }
    if isClosing { return .closed }
    let flag = CancelFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters.append(
          Waiter(deadline: deadline, cancelled: flag, condition: condition, continuation: continuation))
      }
    } onCancel: {
      flag.isSet.store(true, ordering: .releasing)
      executor.wake()
    }
  }

  private func resumeWaiters(_ now: Duration) {
    var left: [Waiter] = []
    for waiter in waiters {
      let result: WaitResult? =
        if waiter.condition() {
          .satisfied
        } else if waiter.cancelled.isSet.load(ordering: .acquiring) {
          .cancelled
        } else if isClosing, !waiter.isForClosing {
          .closed
        } else if let deadline = waiter.deadline, deadline <= now {
          .timedOut
        } else {
          nil
        }
      if let result { waiter.continuation.resume(returning: result) } else { left.append(waiter) }
    }
    waiters = left
  }

  // MARK: The connection

  /// The session, connected if need be. Blocks while the server answers.
  func openSession() -> Session? {
    loseSessionIfBroken()
    if let session { return session }
    guard !isClosing else { return nil }
    let own = host.displayName().flatMap { $0.isEmpty ? nil : DisplayAddress(name: $0) }
    var failure = DisplayStatus.noDisplay
    if let own {
      if let opened = open(own) { return opened }
      failure = .unreachable(display: own.name)
    }
    // B-136, B-137: the environment of this process is as old as the process; the session came later.
    if let later = host.sessionDisplay(), later != own {
      if let opened = open(later) { return opened }
      failure = .unreachable(display: later.name)
    }
    setStatus(failure)
    displayWait.lookedInVain(now: MonotonicClock.now())
    return nil
  }

  private func open(_ address: DisplayAddress) -> Session? {
    guard let display = try? X11Display(address) else { return nil }
    let opened = Session(display: display, timing: timing)
    let released = opened.keyboard.releaseLeftovers()
    if released > 0 { Log.warning("keys left down by an earlier blurtd were let go", ["count": "\(released)"]) }
    opened.keyboard.warmUp()
    // It may have gone again while it was got to know.
    guard !display.isBroken else {
      display.close()
      return nil
    }
    session = opened
    displayWait.end()
    setStatus(display.hasXTest ? .connected(display: address.name) : .noXTest(display: address.name))
    return opened
  }

  /// Something has happened after which a display may be there: looks for one, now and for a while.
  func expectDisplay() {
    loseSessionIfBroken()
    guard session == nil, !isClosing else { return }
    displayWait.expect(now: MonotonicClock.now())
    _ = openSession()
  }

  private func setStatus(_ status: DisplayStatus) {
    let isNew = statusBox.withLock { box in
      defer { box = status }
      return box != status
    }
    guard isNew else { return }
    if status.canPaste {
      Log.notice("display", ["status": status.message])
    } else {
      Log.warning("display", ["status": status.message])
    }
    host.onStatus()
  }

  /// Forgets a connection whose server has gone, and looks out for the next one.
  private func loseSessionIfBroken() {
    guard let lost = session, lost.display.isBroken else { return }
    forgetAhead()
    session = nil
    if settling != nil { host.onNotice(.displayLost) }
    settling = nil
    let name = lost.display.name
    lost.display.close()
    setStatus(.unreachable(display: name))
    if !isClosing { displayWait.expect(now: MonotonicClock.now()) }
  }

  // MARK: Events

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

  private func owner(of selection: Atom, _ session: Session) -> SelectionOwner? {
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

  private func noteEnded(_ ended: OutgoingTransfers.Ended, _ session: Session, _ now: Duration) {
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

  // MARK: Settling

  /// Brings the old clipboard back when the receipt says so (C-47…C-51).
  private func settleIfDue(_ session: Session, _ now: Duration) {
    guard let due = settling, due.receipt.verdict(at: now) != .wait else { return }
    // A read that is on its way is still answered with the text, and may put the end off.
    _ = serverTime(session)
    guard let current = settling else { return }
    switch current.receipt.verdict(at: now) {
    case .wait: return
    case .restore: restore(current, session)
    case .neverRead:
      restore(current, session)
      host.onNotice(.neverRead)
    }
  }

  func restore(_ current: Settling, _ session: Session) {
    settling = nil
    let time = serverTime(session)
    let isHidden = host.hidesFromHistories()
    // C-49: only what is still ours, and nobody copies between the look and the change.
    session.display.exclusively {
      for (selection, snapshot) in current.saved {
        guard let owner = owner(of: selection, session), owner.isOwner() else { continue }
        switch snapshot {
        case .empty: owner.disown(at: time)
        case .contents(let representations):
          // A new ownership, so that programs that cache what is offered notice. Histories have these contents already.
          owner.own(
            ClipboardContents(
              representations: representations, purpose: .lasting, isHiddenFromHistories: isHidden),
            at: time)
        case .unknown: owner.makeLasting()
        }
      }
    }
  }

  // MARK: Stopping

  private func beginClosing() {
    isClosing = true
    // Enqueued on this very thread; the loop runs until it is through.
    Task { await self.finish() }
  }

  /// Leaves the clipboard as a user would want to find it: old contents first, then in the care of a clipboard manager.
  private func finish() async {
    forgetAhead()
    if let session, !session.display.isBroken {
      if let current = settling { restore(current, session) }
      await handOver(session)
      if !session.display.isBroken { session.display.close() }
    }
    session = nil
    isClosed = true
  }

  /// SAVE_TARGETS, ICCCM's companion of the clipboard manager specification (C-78).
  private func handOver(_ session: Session) async {
    let display = session.display
    guard let contents = session.clipboard.contents, session.clipboard.isOwner(),
      XGetSelectionOwner(display.raw, display.atoms[.clipboardManager]) != Window(None)
    else { return }
    session.clipboard.makeLasting()
    session.isHandedOver = false
    display.setProperty(
      display.window, display.atoms[.handover], type: Atom(XA_ATOM), words: contents.representations.map(\.target))
    let time = serverTime(session)
    XConvertSelection(
      display.raw, display.atoms[.clipboardManager], display.atoms[.saveTargets], display.atoms[.handover],
      display.window, time)
    XFlush(display.raw)
    let deadline = MonotonicClock.now() + timing.handover
    _ = await withCheckedContinuation { (continuation: CheckedContinuation<WaitResult, Never>) in
      waiters.append(
        Waiter(
          deadline: deadline, cancelled: CancelFlag(), isForClosing: true,
          condition: { session.isHandedOver == true || session.display.isBroken }, continuation: continuation))
    }
    session.isHandedOver = nil
  }
}
