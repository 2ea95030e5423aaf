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
