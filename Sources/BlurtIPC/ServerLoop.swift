internal import BlurtContract
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// The server's thread: one epoll set with the listener, all connections and the wake-up of the inbox.
///
/// It never waits for a client, and no client waits while many watchers are told something: they are told in slices, and
/// between two slices commands are answered. It has no timer while no client is connected and no dictation is live, and of
/// connected ones only the heartbeat's, so an idle server is never woken. `@unchecked Sendable`: `init` builds it, then only
/// the thread that calls `run` touches it.
final class ServerLoop: @unchecked Sendable {
  private static let listenerToken: UInt64 = 0
  private static let inboxToken: UInt64 = 1
  private static let firstConnection: UInt64 = 2

  private let epoll: Epoll
  private let acceptor: ClientAcceptor
  private let inbox: ServerInbox
  private let handler: any ControlHandler
  private let standingNotices: @Sendable () -> [NoticeEvent]
  private let limits: ServerLimits

  private var connections: [UInt64: ClientConnection] = [:]
  private var feed: WatcherFeed
  private var news = EventNews()
  private var fanOut = FanOut()
  /// Connections with something new to send.
  private var dirty: [ClientConnection] = []
  private var slow: SlowClients
  /// Events may lie there that everybody has taken by now.
  private var mayForget = false
  private let leases = LeaseHolders()
  private let beat: (@Sendable () -> Void)?
  private var heartbeat: Heartbeat
  private var memory = CrowdMemory()
  private var isStopping = false
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(
    listener: Int32, inbox: ServerInbox, handler: any ControlHandler, feed: WatcherFeed,
    standingNotices: @escaping @Sendable () -> [NoticeEvent], userID: UInt32, limits: ServerLimits,
    beat: (@Sendable () -> Void)?
  ) throws(Errno) {
    self.inbox = inbox
    self.handler = handler
    self.standingNotices = standingNotices
    self.limits = limits
    self.feed = feed
    self.beat = beat
    heartbeat = Heartbeat(interval: limits.heartbeat)
    slow = SlowClients(patience: limits.slowClientPatience)
    epoll = try Epoll()
    try epoll.add(inbox.descriptor, token: Self.inboxToken, .read)
    acceptor = try ClientAcceptor(
      listener, in: epoll, token: Self.listenerToken, firstConnection: Self.firstConnection, userID: userID,
      clientCount: limits.clientCount)
  }

  /// Serves until the inbox says stop.
  func run() {
    inbox.becomeTaker()
    while !isStopping {
      for event in waitForEvents() { handle(event) }
      let now = MonotonicClock.now()
      if let level = feed.dueLevel(at: now) { announce(level, at: now) }
      acceptor.resume(at: now, in: epoll)
      for id in slow.overdue(at: now) { if let connection = connections[id] { dropSlow(connection) } }
      endSilentLeases(at: now)
      settle()
      tellSlice(at: now)
      if mayForget { forgetTold() }
      beatIfDue(at: now)
      if memory.shouldGiveBack(connected: connections.count) { FreeMemory.giveBack() }
    }
    shutDown()
  }

  // MARK: Turns of the loop

  private func waitForEvents() -> [Epoll.Event] {
    do throws(Errno) {
      return try epoll.wait(timeout())
    } catch {
      // Only a broken descriptor of our own gets here; the pause keeps that from turning into a busy loop.
      Log.error("control socket cannot wait for clients", ["error": "\(error)"])
      usleep(100_000)
      return []
    }
  }

  /// How long nothing needs doing; nil when only an event can bring work.
  private func timeout() -> Duration? {
    // To tell a watcher may end its connection, and the handler may say something about that.
    if fanOut.hasFront || inbox.isWaiting { return .zero }
    let next = [
      fanOut.nextTurn, feed.nextLevelAt, acceptor.resumesAt, slow.nextLook, leases.nextSilence, heartbeat.next,
    ]
    .compactMap { $0 }.min()
    return next.map { max($0 - MonotonicClock.now(), .zero) }
  }

  private func handle(_ event: Epoll.Event) {
    switch event.token {
    case Self.listenerToken:
      acceptor.accept(in: epoll, connected: { connections.count }, admit: admit)
    case Self.inboxToken: inbox.clearWakeup()
    case LeaseHolders.processBit...: ownerDied(event.token & ~LeaseHolders.processBit)
    default:
      guard let connection = connections[event.token] else { return }
      if event.isHungUp { connection.isHungUp = true }
      if event.canWrite { touch(connection) }
      if event.canRead || event.isHungUp { receive(connection) }
    }
  }

  /// Carries out what was posted, sends what is queued and tells the front of the watchers, until none of it leaves
  /// anything.
  private func settle() {
    repeat {
      takePosted()
      let sending = dirty
      dirty.removeAll(keepingCapacity: true)
      for connection in sending {
        connection.isDirty = false
        if connections[connection.id] != nil { flush(connection) }
      }
      if fanOut.hasFront { tellFront() }
      // Telling the handler that a client has gone may have made it post something.
    } while takePosted() && !isStopping
  }

  /// Queues the answers and events that were posted. False when there were none.
  @discardableResult
  private func takePosted() -> Bool {
    let items = inbox.take()
    for item in items {
      switch item {
      case .ack(let connection, let ack): answer(connection, ack)
      case .event(let event): publish(event)
      case .stop: isStopping = true
      }
    }
    return !items.isEmpty
  }

  /// Tells everyone with an open question that there will be no answer, and closes.
  private func shutDown() {
    for connection in connections.values {
      for id in connection.memory.pendingIDs {
        queue(CommandAck(id: id, result: .failed, reason: .stopping, message: FailureReason.stopping.text), connection)
      }
      // Without waiting: a client that does not read now will see the end of the connection.
      do throws(Errno) { try connection.flush(&news, at: .zero) } catch { continue }
    }
    connections = [:]
  }

  private func admit(_ connection: ClientConnection) {
    do throws(Errno) {
      try epoll.add(connection.descriptor, token: connection.id, .read)
    } catch {
      Log.warning("client refused", ["error": "\(error)"])
      return
    }
    connections[connection.id] = connection
    memory.connected(connections.count)
    Log.debug("client connected", ["client": "\(connection.id)", "pid": "\(connection.identity.processID)"])
  }

  // MARK: Reading

  private func receive(_ connection: ClientConnection) {
    repeat {
      let count: Int?
      do throws(Errno) {
        count = try UnixSocket.receive(into: &buffer, from: connection.descriptor)
      } catch {
        drop(connection)
        return
      }
      guard let count else { break }
      guard count > 0 else {
        endInput(connection)
        return
      }
      connection.framer.append(buffer[..<count])
      readLines(connection)
      // With both sides closed no event will come again for what is still unread.
    } while connection.isHungUp && !connection.isClosing
    if connection.isHungUp { drop(connection) }
  }

  private func readLines(_ connection: ClientConnection) {
    while !connection.isClosing, let item = connection.framer.next() {
      if connection.watchdog.silentAt != nil { connection.watchdog.heard(at: MonotonicClock.now()) }
      switch item {
      case .tooLong: hangUp(connection, WireError(.lineTooLong))
      case .line(let line):
        do throws(MalformedCommand) {
          carryOut(try MessageCoder.command(from: line), connection)
        } catch {
          switch error {
          case .line(let error): hangUp(connection, error)
          case .command(let id, let reason, let message): refuse(id, reason, message, connection)
          }
        }
      }
    }
  }

  /// No more commands will come; what was asked is still answered, and a watcher is served until it is gone.
  private func endInput(_ connection: ClientConnection) {
    connection.inputEnded = true
    tellGone(connection)
    if connection.isHungUp { drop(connection) } else { flush(connection) }
  }

  /// Sends an error object and closes (S-146), once what was asked before has been answered.
  private func hangUp(_ connection: ClientConnection, _ error: WireError) {
    Log.notice(
      "client sent what cannot be answered, connection closed",
      ["client": "\(connection.id)", "pid": "\(connection.identity.processID)", "reason": error.reason.rawValue])
    connection.isClosing = true
    // What came before the error is told before it.
    stopWatching(connection)
    connection.queue(MessageCoder.encode(error))
    touch(connection)
    tellGone(connection)
  }

  // MARK: Commands

  private func carryOut(_ command: ClientCommand, _ connection: ClientConnection) {
    guard begin(command.id, connection) else { return }
    if command.deadline != nil, command.isExpired(at: MonotonicClock.sinceBoot()) {
      queue(command.ack(.notListening, reason: .expired, message: FailureReason.expired.text), connection)
      return
    }
    switch command.action {
    case .watch(let options):
      queue(command.ack(.done), connection)
      // What was told before the watcher came is no news to it.
      takePosted()
      connection.subscribe(options, news)
      connection.queue(feed.subscribe(connection.id, options, standing: standingNotices()))
      noteLevels()
      fanOut.add(connection.id, acts: connection.hasAskedHandler)
    case .press, .toggle:
      // S-126: a client that has hung up will not learn that a recording runs.
      guard !connection.isHungUp else {
        queue(command.ack(.notListening, reason: .expired), connection)
        return
      }
      fallthrough
    case .release, .cancel, .cancelRecording, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .retry,
      .discard, .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey,
      .setApiKey, .clearApiKey, .doctor:
      connection.isKnownToHandler = true
      connection.hasAskedHandler = true
      if connection.subscription != nil { fanOut.acted(connection.id) }
      let id = connection.id
      let reply = ReplyOnce(inbox: inbox, connection: id, id: command.id) { [self] ack in answerAtOnce(id, ack) }
      leases.pressed(command, connection)
      handler.handle(command, from: connection.identity) { ack in reply.send(ack) }
      if let ack = reply.finishHandling() {
        queue(ack, connection)
      } else {
        // The kernel likes to wake a server on its client's processor; a client that has its answer waits there until this
        // thread pauses. What the command starts is under way by now.
        sched_yield()
      }
      if !leases.watchProcess(of: connection, in: epoll) { endLease(connection, "its process has ended") }
    }
  }

  /// A command that cannot be read but has an id.
  private func refuse(_ id: String, _ reason: FailureReason, _ message: String, _ connection: ClientConnection) {
    guard begin(id, connection) else { return }
    queue(CommandAck(id: id, result: .failed, reason: reason, message: message), connection)
  }

  /// S-127: notes the id. False for a repeat, which gets the first answer again or waits for it.
  private func begin(_ id: String, _ connection: ClientConnection) -> Bool {
    switch connection.memory.look(id) {
    case .new: break
    case .pending: return false
    case .answered(let line):
      connection.queue(line)
      touch(connection)
      return false
    }
    connection.memory.begin(id)
    guard connection.memory.pendingCount <= SessionContract.outstandingCommandCount else {
      let reason = FailureReason.tooManyCommands
      queue(CommandAck(id: id, result: .failed, reason: reason, message: reason.text), connection)
      return false
    }
    return true
  }

  /// An answer of the handler.
  private func answer(_ id: UInt64, _ ack: CommandAck) {
    guard let connection = connections[id] else { return }
    queue(ack, connection)
  }

  /// An answer that the handler gives on this thread: sent before the handler goes on, so that the client need not wait
  /// for what it wakes. Whatever else there is to do for the client is done at the end of this turn.
  private func answerAtOnce(_ id: UInt64, _ ack: CommandAck) {
    guard let connection = connections[id] else { return }
    queue(ack, connection)
    do throws(Errno) {
      try connection.flush(&news, at: MonotonicClock.now())
    } catch {
      // Met again by the flush at the end of this turn, which drops the connection.
    }
  }

  /// Notes that something may have to be sent.
  private func touch(_ connection: ClientConnection) {
    guard !connection.isDirty else { return }
    connection.isDirty = true
    dirty.append(connection)
  }

  /// Queues the one answer to a command.
  private func queue(_ ack: CommandAck, _ connection: ClientConnection) {
    let line = MessageCoder.encode(ack)
    guard connection.memory.finish(ack.id, with: line) else { return }
    leases.answered(ack, connection, current: feed.current)
    connection.queue(line)
    touch(connection)
  }

  // MARK: Owners

  private func ownerDied(_ id: UInt64) {
    guard let connection = connections[id], connection.process != nil else { return }
    endLease(connection, "its process has ended")
  }

  private func endSilentLeases(at now: Duration) {
    for connection in leases.silent(at: now) {
      // What it has sent may still lie in the socket, when this process was the one that slept.
      receive(connection)
      guard let limit = connection.watchdog.silentAt, limit <= now else { continue }
      endLease(connection, "it was silent")
    }
  }

  private func endLease(_ connection: ClientConnection, _ cause: String) {
    Log.notice("a client's lease has ended", ["client": "\(connection.id)", "cause": cause])
    leases.end(connection)
    handler.leaseEnded(connection.identity)
  }

  /// S-108: only while somebody is connected or a dictation is live; at rest the lock is the proof of life.
  private func beatIfDue(at now: Duration) {
    let isNeeded = beat != nil && (!connections.isEmpty || !feed.current.phase.isTerminal)
    if heartbeat.isDue(at: now, isNeeded: isNeeded) { beat?() }
  }

  // MARK: Events

  private func publish(_ event: SessionEvent) {
    if case .phase(let phase) = event {
      news.dropLevel()
      if phase.phase.isTerminal, let dictation = phase.dictation { leases.ended(through: dictation) }
    }
    let now = MonotonicClock.now()
    if let broadcast = feed.publish(event, at: now) { announce(broadcast, at: now) }
  }

  private func announce(_ broadcast: WatcherFeed.Broadcast, at now: Duration) {
    news.add(broadcast)
    fanOut.announce(at: now)
  }

  /// Tells the front what is new, which may be all watchers that there are.
  private func tellFront() {
    while let id = fanOut.nextOfFront() { tell(id) }
    if !fanOut.hasWork { mayForget = true }
  }

  /// Tells the next few watchers what is new. Those who take nothing are not tried: epoll says when they do again.
  private func tellSlice(at now: Duration) {
    guard let turn = fanOut.nextTurn, turn <= now else { return }
    var told = 0
    // To look at one costs little, and is not for nothing when there are thousands.
    for _ in 0..<FanOut.sliceLookCount where told < FanOut.sliceCount {
      guard let id = fanOut.next(at: now) else { break }
      if tell(id) { told += 1 }
    }
    if !fanOut.hasWork || fanOut.isAtStart { mayForget = true }
  }

  /// False where there was nothing to tell, or nobody who takes it.
  @discardableResult
  private func tell(_ id: UInt64) -> Bool {
    guard let connection = connections[id], !connection.isBlocked, let subscription = connection.subscription,
      news.isNew(for: subscription)
    else { return false }
    flush(connection)
    return true
  }

  /// Lets go of events that everybody has taken, and of watchers for whom too much waits.
  private func forgetTold() {
    mayForget = false
    var first = news.backlog.end
    for id in fanOut.order {
      guard let connection = connections[id], let cursor = connection.subscription?.cursor else { continue }
      if connection.isBlocked && connection.waitingByteCount(news) > limits.slowClientByteCount {
        dropSlow(connection)
      } else {
        first = min(first, cursor)
      }
    }
    let freed = news.forget(before: first)
    if freed > EventBacklog.longestPacket { memory.left(waitingByteCount: freed) }
  }

  private func stopWatching(_ connection: ClientConnection) {
    guard connection.subscription != nil else { return }
    connection.settleSubscription(news)
    forgetWatcher(connection.id)
  }

  private func forgetWatcher(_ id: UInt64) {
    feed.unsubscribe(id)
    noteLevels()
    fanOut.remove(id)
    mayForget = true
  }

  /// Tells the threads that measure levels whether anybody hears them.
  private func noteLevels() { inbox.levelsAreWatched.store(feed.levelsAreWatched, ordering: .relaxed) }

  // MARK: Sending and ending

  private func flush(_ connection: ClientConnection) {
    let wasBlocked = connection.isBlocked
    do throws(Errno) {
      try connection.flush(&news, at: MonotonicClock.now())
    } catch {
      drop(connection)
      return
    }
    if wasBlocked && !connection.isBlocked { mayForget = true }
    if connection.isBlocked && connection.waitingByteCount(news) > limits.slowClientByteCount {
      dropSlow(connection)
      return
    }
    slow.note(connection.id, since: connection.stalledSince)
    if !connection.isBlocked && (connection.isClosing || connection.inputEnded) {
      let owes = connection.memory.pendingCount > 0
      guard owes || (!connection.isClosing && connection.subscription != nil) else {
        drop(connection)
        return
      }
    }
    let wanted = connection.wantedInterest
    guard wanted != connection.interest else { return }
    connection.interest = wanted
    do throws(Errno) {
      try epoll.modify(connection.descriptor, token: connection.id, wanted)
    } catch {
      drop(connection)
    }
  }

  private func dropSlow(_ connection: ClientConnection) {
    Log.warning(
      "client does not read, connection dropped",
      [
        "client": "\(connection.id)", "pid": "\(connection.identity.processID)",
        "bytes": "\(connection.waitingByteCount(news))",
      ])
    drop(connection)
  }

  /// Closes a connection and forgets it.
  private func drop(_ connection: ClientConnection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    connection.isClosing = true
    // Leaves the set now and not when the last reference goes, so that no event of it can follow.
    do throws(Errno) { try epoll.remove(connection.descriptor) } catch {
      Log.debug("client was not watched", ["error": "\(error)"])
    }
    if connection.subscription != nil { forgetWatcher(connection.id) }
    slow.remove(connection.id)
    memory.left(waitingByteCount: connection.output.byteCount)
    acceptor.left(connected: connections.count)
    tellGone(connection)
    if connection.hasAskedHandler { handler.connectionClosed(connection.identity) }
    Log.debug("client gone", ["client": "\(connection.id)"])
  }

  private func tellGone(_ connection: ClientConnection) {
    leases.end(connection)
    guard connection.isKnownToHandler else { return }
    connection.isKnownToHandler = false
    handler.clientGone(connection.identity)
  }
}
