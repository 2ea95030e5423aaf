internal import BlurtBus
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// The seat's thread: the bus and orders in, reports out. Lives on that one thread.
final class LogindLoop {
  private let options: LogindSeat.Options
  private let limits: SeatLimits
  private let mailbox: SeatMailbox
  private let onSleep: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let reader: LogindReader

  private var picture: SeatPicture
  private var problem: SeatReport.Problem?
  /// What is known is old; logind is to be asked again, not before `nextTry`.
  private var isStale = true
  private var nextTry: Duration?
  /// Signals tell of sleep from now on; what came before is to be asked for.
  private var asksForSleep = true
  /// logind was reached at least once, so it is worth waiting for.
  private var wasReached = false
  /// How many tries in a row have failed.
  private var failures = 0

  private var hold: SleepHold?
  private var mayHold = true
  /// How many times in a row the hold was refused, and when it is asked for again.
  private var holdFailures = 0
  private var nextHoldTry: Duration?
  /// Numbers the sleeps.
  private var sleep: UInt64 = 0
  /// By when the hold on the present sleep ends; nil while the machine is awake.
  private var holdDeadline: Duration?

  init(
    _ options: LogindSeat.Options, mailbox: SeatMailbox,
    onSleep: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.options = options
    limits = options.limits
    self.mailbox = mailbox
    self.onSleep = onSleep
    reader = LogindReader(userID: options.userID, callLimit: options.limits.call)
    picture = Self.emptyPicture(options)
  }

  /// Returns after an order to stop, or where there is nothing to watch and never will be.
  func run() {
    let library: SystemdLibrary
    do throws(BusError) { library = try SystemdLibrary(name: options.library) } catch { return giveUp(error) }
    while true {
      do throws(BusError) {
        try serve(library)
      } catch {
        hold = nil
        holdDeadline = nil
        if case .stopped = error { return }
        // A machine without a system bus will not get one.
        guard wasReached, let pause = pauseAfterFailure() else { return giveUp(error) }
        Log.notice("the system bus went away; connecting again", ["reason": Self.words(error)])
        let until = MonotonicClock.now() + pause
        while MonotonicClock.now() < until, !mailbox.isStopping { poll(nil, until: until) }
        if mailbox.isStopping { return }
      }
    }
  }

  // MARK: One connection

  /// Ends only by what it throws.
  private func serve(_ library: SystemdLibrary) throws(BusError) {
    let bus = try BusConnection(options.address.map { .address($0) } ?? .system, library: library)
    try waitUntilReady(bus)
    for rule in LogindReader.rules { try bus.subscribe(rule, within: limits.call) }
    expectNewLogind()
    while true {
      try processAll(bus)
      picture.advance(to: MonotonicClock.now())
      if let nextTry, nextTry <= MonotonicClock.now() { self.nextTry = nil }
      if isStale, nextTry == nil {
        try refresh(bus)
        // While logind was asked, signals may have come that `poll` does not see any more.
        continue
      }
      publish()
      try tendHold(bus)
      let request = try bus.pollRequest()
      poll(
        request.entry,
        until: [request.deadline, nextTry, picture.deadline, holdDeadline, mayAskForHold ? nextHoldTry : nil]
          .compactMap(\.self).min())
    }
  }

  private func waitUntilReady(_ bus: borrowing BusConnection) throws(BusError) {
    let deadline = MonotonicClock.now() + limits.connection
    while true {
      try processAll(bus)
      if try bus.isReady() { return }
      guard MonotonicClock.now() < deadline else { throw .noBus(Errno(ETIMEDOUT, call: "connect")) }
      let request = try bus.pollRequest()
      poll(request.entry, until: min(deadline, request.deadline ?? deadline))
    }
  }

  private func processAll(_ bus: borrowing BusConnection) throws(BusError) {
    while try bus.process({ take($0) }) {
      guard !mailbox.isStopping else { throw .stopped }
    }
    guard !mailbox.isStopping else { throw .stopped }
  }

  // MARK: What logind says

  private func take(_ message: borrowing BusMessage) {
    switch (message.interface, message.member) {
    case (LogindReader.manager, "PrepareForSleep"):
      if let begins = message.boolean() { sleeps(begins) }
    case ("org.freedesktop.login1.Session", "Lock"):
      picture.lockRequested(message.path, at: MonotonicClock.now())
    case ("org.freedesktop.login1.Session", "Unlock"): picture.unlockRequested(message.path)
    case (LogindReader.manager, "SessionNew"), (LogindReader.manager, "SessionRemoved"),
      ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
      // Not what the signal says: asked anew, so that there is one way to know something.
      isStale = true
      nextTry = nil
    case ("org.freedesktop.DBus", "NameOwnerChanged"):
      guard message.string() == LogindReader.login, message.string() != nil, let owner = message.string() else {
        return
      }
      expectNewLogind()
      // Gone, and perhaps about to come back; its sessions live on meanwhile.
      if owner.isEmpty { nextTry = MonotonicClock.now() + (pauseAfterFailure() ?? .zero) }
    default: break
    }
  }

  /// A logind that was not asked yet, and that holds nothing for us.
  private func expectNewLogind() {
    isStale = true
    nextTry = nil
    asksForSleep = true
    allowHold()
    hold = nil
  }

  /// A hold is wanted and may be had.
  private var mayAskForHold: Bool { !picture.isSleeping && picture.snapshot != nil && hold == nil && mayHold }

  private func allowHold() {
    mayHold = true
    holdFailures = 0
    nextHoldTry = nil
  }

  private func refresh(_ bus: borrowing BusConnection) throws(BusError) {
    isStale = false
    do throws(BusError) {
      if asksForSleep {
        let isPreparing = try reader.isPreparingForSleep(bus)
        asksForSleep = false
        sleeps(isPreparing)
      }
      picture.take(try reader.snapshot(bus))
      wasReached = true
      failures = 0
      problem = nil
    } catch {
      switch error {
      case .connectionLost, .noBus, .noLibrary, .stopped: throw error
      case .absent, .refused, .unanswered: break
      }
      // What was known stands while there is hope; a bus that never had a logind is left in peace until one comes.
      isStale = true
      if wasReached || error != .absent, let pause = pauseAfterFailure() {
        nextTry = MonotonicClock.now() + pause
        if picture.snapshot == nil { forget(error) }
      } else {
        isStale = false
        forget(error)
      }
    }
  }

  /// The pause before the next try; nil after the last.
  private func pauseAfterFailure() -> Duration? {
    defer { failures += 1 }
    return failures < limits.retryPauses.count ? limits.retryPauses[failures] : nil
  }

  // MARK: Sleep

  private func sleeps(_ begins: Bool) {
    guard begins != picture.isSleeping else { return }
    picture.sleeps(begins)
    // At once: a wake-up that is read together with its sleep must not undo it unseen (B-23).
    publish()
    guard begins else {
      holdDeadline = nil
      allowHold()
      return
    }
    sleep += 1
    holdDeadline = MonotonicClock.now() + limits.sleepHold
    onSleep { [mailbox, sleep] in mailbox.isReady(forSleep: sleep) }
  }

  /// Lets sleep go on when it may, and asks for the next one to be held up.
  private func tendHold(_ bus: borrowing BusConnection) throws(BusError) {
    if let holdDeadline {
      let isReady = mailbox.readyForSleep >= sleep
      guard isReady || holdDeadline <= MonotonicClock.now() else { return }
      if !isReady { Log.warning("the recording was not closed in time for sleep") }
      self.holdDeadline = nil
      hold = nil
    }
    guard mayAskForHold else { return }
    if let nextHoldTry, nextHoldTry > MonotonicClock.now() { return }
    nextHoldTry = nil
    do throws(BusError) {
      hold = try SleepHold(bus, reader)
      holdFailures = 0
    } catch {
      if case .connectionLost = error { throw error }
      // It may only have been slow: a logind that has just started, a machine under load.
      if holdFailures < limits.retryPauses.count {
        nextHoldTry = MonotonicClock.now() + limits.retryPauses[holdFailures]
      } else {
        mayHold = false
      }
      holdFailures += 1
      if holdFailures > 1 { return }
      Log.info("sleep will not wait for recordings to be closed", ["reason": Self.words(error)])
    }
  }

  // MARK: Out

  private func giveUp(_ error: BusError) {
    if error == .stopped { return }
    forget(error)
    publish()
  }

  /// Nobody can tell any more: the seat counts as active.
  private func forget(_ error: BusError) {
    picture = Self.emptyPicture(options)
    problem =
      switch error {
      case .noLibrary(let words): .noLibrary(words)
      case .noBus, .connectionLost, .stopped: .noBus(Self.words(error))
      case .absent, .refused, .unanswered: .noLogind(Self.words(error))
      }
  }

  private func publish() {
    var report = SeatReport()
    report.standing = picture.standing
    report.session = picture.session
    report.problem = problem
    report.isKnown = problem != nil || picture.snapshot != nil
    let former = mailbox.report
    mailbox.publish(report)
    if let problem = report.problem, former.problem == nil {
      Log.warning("the login session cannot be watched", ["reason": problem.sentence])
    } else if report.isKnown, former.session?.id != report.session?.id || !former.isKnown {
      Log.notice("the login session is watched", ["session": report.session?.id ?? "none"])
    }
  }

  private static func emptyPicture(_ options: LogindSeat.Options) -> SeatPicture {
    SeatPicture(userID: options.userID, preferred: options.sessionID, lockGrace: options.limits.lockGrace)
  }

  private static func words(_ error: BusError) -> String {
    switch error {
    case .noLibrary(let words): words
    case .noBus(let error), .connectionLost(let error): "\(error)"
    case .absent: "there is none on the system bus"
    case .refused(let call, let words): "\(call): \(words)"
    case .unanswered(let call): "\(call) was not answered in time"
    case .stopped: "stopped"
    }
  }

  /// Sleeps until something happens on the bus, an order comes, or the time is there; nil for no end.
  private func poll(_ entry: pollfd?, until deadline: Duration?) {
    var entries = [pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    if let entry { entries.append(entry) }
    var timeout: Int32 = -1
    if let deadline {
      // Rounded up: a millisecond too early would be a turn for nothing.
      let left = max(.zero, deadline - MonotonicClock.now())
      timeout = Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
    mailbox.turnCount.add(1, ordering: .relaxed)
    _ = Glibc.poll(&entries, nfds_t(entries.count), timeout)
    if entries[0].revents != 0 { mailbox.wakeup.clear() }
  }
}
