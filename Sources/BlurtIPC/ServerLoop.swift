internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// The server's thread: one epoll set with the listener, all connections and the wake-up of the inbox.
///
/// It never waits for a client. It has no timer while no client is connected and no dictation is live, and of connected
/// ones only the heartbeat's, so an idle server is never woken. `@unchecked Sendable`: `init` builds it, then only the thread that calls `run` touches it.
final class ServerLoop: @unchecked Sendable {
  private static let listenerToken: UInt64 = 0
  private static let inboxToken: UInt64 = 1
  private static let firstConnection: UInt64 = 2
  /// Set in the token of a client's process, beside the number of its connection.
  private static let processBit: UInt64 = 1 << 63

  private let epoll: Epoll
  /// Owned by the claim, which outlives the thread.
  private let listener: Int32
  private let inbox: ServerInbox
  private let handler: any ControlHandler
  private let standingNotices: @Sendable () -> [NoticeEvent]
  private let userID: UInt32
  private let limits: ServerLimits
  /// Given up for a moment when descriptors run out, so that a client can be told instead of being left hanging.
  private var reserve: FileDescriptor?

  private var connections: [UInt64: ClientConnection] = [:]
  private var nextConnection = ServerLoop.firstConnection
  private var feed: WatcherFeed
  /// Connections with something new to send.
  private var dirty: [ClientConnection] = []
  /// Connections that do not take what waits for them.
  private var stalled: Set<UInt64> = []
  /// When connections are accepted again after the system refused one.
  private var acceptAgainAt: Duration?
  /// Connections that hold a lease.
  private var leaseholders: Set<UInt64> = []
  private let beat: (@Sendable () -> Void)?
  private var heartbeat: Heartbeat
  private var memory = CrowdMemory()
  private var isStopping = false
  /// Full, and the journal knows it.
  private var isFull = false
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(
    listener: Int32, inbox: ServerInbox, handler: any ControlHandler, feed: WatcherFeed,
    standingNotices: @escaping @Sendable () -> [NoticeEvent], userID: UInt32, limits: ServerLimits,
    beat: (@Sendable () -> Void)?
  ) throws(Errno) {
    self.listener = listener
    self.inbox = inbox
    self.handler = handler
    self.standingNotices = standingNotices
    self.userID = userID
    self.limits = limits
    self.feed = feed
    self.beat = beat
    heartbeat = Heartbeat(interval: limits.heartbeat)
    epoll = try Epoll()
    reserve = try .open("/dev/null", O_RDONLY)
    try epoll.add(inbox.descriptor, token: Self.inboxToken, .read)
    try epoll.add(listener, token: Self.listenerToken, .read)
  }

  /// Serves until the inbox says stop.
  func run() {
    inbox.becomeTaker()
    while !isStopping {
      for event in waitForEvents() { handle(event) }
      let now = MonotonicClock.now()
      if let level = feed.dueLevel(at: now) { broadcast(level) }
      resumeAccepting(at: now)
      dropStalled(at: now)
      endSilentLeases(at: now)
      settle()
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
    var next = feed.nextLevelAt
    if let acceptAgainAt { next = min(next ?? acceptAgainAt, acceptAgainAt) }
    for id in stalled {
      guard let since = connections[id]?.output.stalledSince else { continue }
      let limit = since + limits.slowClientPatience
      next = min(next ?? limit, limit)
    }
    for id in leaseholders {
      guard let limit = connections[id]?.watchdog.silentAt else { continue }
      next = min(next ?? limit, limit)
    }
    if let due = heartbeat.next { next = min(next ?? due, due) }
    return next.map { max($0 - MonotonicClock.now(), .zero) }
  }

  private func handle(_ event: Epoll.Event) {
    switch event.token {
    case Self.listenerToken: acceptClients()
    case Self.inboxToken: inbox.clearWakeup()
    case Self.processBit...: ownerDied(event.token & ~Self.processBit)
    default:
      guard let connection = connections[event.token] else { return }
      if event.isHungUp { connection.isHungUp = true }
      if event.canWrite { touch(connection) }
      if event.canRead || event.isHungUp { receive(connection) }
    }
  }

  /// Carries out what was posted and sends what is queued, until neither leaves anything.
  private func settle() {
    repeat {
      takePosted()
      let sending = dirty
      dirty.removeAll(keepingCapacity: true)
      for connection in sending {
        connection.isDirty = false
        if connections[connection.id] != nil { flush(connection) }
      }
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
      do throws(Errno) { try connection.flush(at: .zero) } catch { continue }
    }
    connections = [:]
  }

  // MARK: Accepting

  private func acceptClients() {
    for _ in 0..<64 {
      do throws(Errno) {
        guard let socket = try UnixSocket.accept(from: listener) else { return }
        admit(socket)
      } catch {
        switch error.code {
        case ECONNABORTED: continue
        case EMFILE, ENFILE:
          if refuseWithReserve() { continue }
          pauseAccepting(error)
        default: pauseAccepting(error)
        }
        return
      }
    }
  }

  private func admit(_ socket: consuming FileDescriptor) {
    let peer: PeerCredentials
    do throws(Errno) {
      peer = try UnixSocket.peer(of: socket.raw)
    } catch {
      Log.warning("client without credentials refused", ["error": "\(error)"])
      return
    }
    guard peer.userID == userID else {
      Log.warning("client of another user refused", ["uid": "\(peer.userID)", "pid": "\(peer.processID)"])
      return
    }
    guard connections.count < limits.clientCount else {
      refuse(socket)
      return
    }
    let identity = ClientIdentity(connection: nextConnection, processID: peer.processID, userID: peer.userID)
    nextConnection += 1
    let connection = ClientConnection(identity: identity, socket: socket)
    do throws(Errno) {
      try epoll.add(connection.descriptor, token: connection.id, .read)
    } catch {
      Log.warning("client refused", ["error": "\(error)"])
      return
    }
    connections[connection.id] = connection
    memory.connected(connections.count)
    Log.debug("client connected", ["client": "\(connection.id)", "pid": "\(peer.processID)"])
  }

  /// Tells a client that there is no room and closes its connection.
  private func refuse(_ socket: consuming FileDescriptor) {
    if !isFull {
      isFull = true
      Log.warning("too many clients, new ones are refused", ["clients": "\(connections.count)"])
    }
    let line = MessageCoder.encode(WireError(.tooManyClients))
    do throws(Errno) {
      _ = try UnixSocket.send(line[...], to: socket.raw)
    } catch {
      // It has gone already.
    }
  }

  /// Out of descriptors: gives up the reserve for one client, tells it, and takes the reserve back.
  private func refuseWithReserve() -> Bool {
    guard reserve != nil else { return false }
    reserve = nil
    var refused = false
    do throws(Errno) {
      if let socket = try UnixSocket.accept(from: listener) {
        refuse(socket)
        refused = true
      }
    } catch {
      // Another thread was quicker with the descriptor.
    }
    do throws(Errno) { reserve = try .open("/dev/null", O_RDONLY) } catch { return false }
    return refused
  }

  /// Leaves waiting clients in the backlog for a moment, since the system has no room for them.
  private func pauseAccepting(_ error: Errno) {
    guard acceptAgainAt == nil else { return }
    Log.warning("clients are not accepted for the moment", ["error": "\(error)"])
    do throws(Errno) { try epoll.modify(listener, token: Self.listenerToken, []) } catch { return }
    acceptAgainAt = MonotonicClock.now() + SessionContract.acceptPause
  }

  private func resumeAccepting(at now: Duration) {
    guard let due = acceptAgainAt, due <= now else { return }
    acceptAgainAt = nil
    if reserve == nil {
      do throws(Errno) { reserve = try .open("/dev/null", O_RDONLY) } catch { reserve = nil }
    }
    do throws(Errno) {
      try epoll.modify(listener, token: Self.listenerToken, .read)
    } catch {
      Log.error("clients are no longer accepted, restart blurtd", ["error": "\(error)"])
    }
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
      connection.queue(feed.subscribe(connection.id, options, standing: standingNotices()))
    case .press, .toggle:
      // S-126: a client that has hung up will not learn that a recording runs.
      guard !connection.isHungUp else {
        queue(command.ack(.notListening, reason: .expired), connection)
        return
      }
      fallthrough
    case .release, .cancel, .cancelRecording, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .retry,
      .discard, .settings, .set, .unset, .reset, .apiKey, .setApiKey, .clearApiKey, .doctor:
      connection.isKnownToHandler = true
      connection.hasAskedHandler = true
      let id = connection.id
      let reply = ReplyOnce(inbox: inbox, connection: id, id: command.id) { [self] ack in answerAtOnce(id, ack) }
      noteLease(of: command, connection)
      handler.handle(command, from: connection.identity) { ack in reply.send(ack) }
      if let ack = reply.finishHandling() { queue(ack, connection) }
      watchProcess(of: connection)
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
      try connection.flush(at: MonotonicClock.now())
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
    noteAnswer(ack, connection)
    connection.queue(line)
    touch(connection)
  }

  // MARK: Owners

  /// Notes a leased press, before the handler sees it.
  private func noteLease(of command: ClientCommand, _ connection: ClientConnection) {
    guard case .press(_, let lease) = command.action, lease != .none else { return }
    connection.watchdog.pressed(command.id, lease, at: MonotonicClock.now())
    leaseholders.insert(connection.id)
  }

  /// Notes the answer to a press that may have been leased.
  private func noteAnswer(_ ack: CommandAck, _ connection: ClientConnection) {
    guard connection.watchdog.isNeeded else { return }
    let current = feed.current
    let firstLive = current.phase.isTerminal ? current.dictation.map { $0 + 1 } : current.dictation
    connection.watchdog.answered(ack, firstLive: firstLive ?? 0)
    settleWatch(connection)
  }

  /// Watches the process of a client that holds a lease, so that its death is seen while a child of its holds the socket
  /// (S-133).
  private func watchProcess(of connection: ClientConnection) {
    guard connection.watchdog.isNeeded, connection.process == nil else { return }
    do throws(Errno) {
      guard let process = try UnixSocket.peerProcess(of: connection.descriptor) else { return }
      try epoll.add(process.raw, token: connection.id | Self.processBit, .read)
      connection.process = consume process
    } catch {
      if error.code == ESRCH {
        endLease(connection, "its process has ended")
        return
      }
      Log.warning(
        "the process of a client cannot be watched; the end of its connection counts",
        ["client": "\(connection.id)", "error": "\(error)"])
    }
  }

  /// Lets go of what is watched for leases that are over.
  private func settleWatch(_ connection: ClientConnection) {
    guard !connection.watchdog.isNeeded else { return }
    connection.process = nil
    leaseholders.remove(connection.id)
  }

  private func ownerDied(_ id: UInt64) {
    guard let connection = connections[id], connection.process != nil else { return }
    endLease(connection, "its process has ended")
  }

  private func endSilentLeases(at now: Duration) {
    for id in leaseholders {
      guard let connection = connections[id], let limit = connection.watchdog.silentAt, limit <= now else { continue }
      // What it has sent may still lie in the socket, when this process was the one that slept.
      receive(connection)
      guard let limit = connection.watchdog.silentAt, limit <= now else { continue }
      endLease(connection, "it was silent")
    }
  }

  private func endLease(_ connection: ClientConnection, _ cause: String) {
    Log.notice("a client's lease has ended", ["client": "\(connection.id)", "cause": cause])
    connection.watchdog.end()
    settleWatch(connection)
    handler.leaseEnded(connection.identity)
  }

  /// A dictation has ended: its lease is over.
  private func endLeases(through dictation: UInt64) {
    for id in leaseholders {
      guard let connection = connections[id] else { continue }
      connection.watchdog.ended(through: dictation)
      settleWatch(connection)
    }
  }

  /// S-108: only while somebody is connected or a dictation is live; at rest the lock is the proof of life.
  private func beatIfDue(at now: Duration) {
    let isNeeded = beat != nil && (!connections.isEmpty || !feed.current.phase.isTerminal)
    if heartbeat.isDue(at: now, isNeeded: isNeeded) { beat?() }
  }

  // MARK: Events

  private func publish(_ event: SessionEvent) {
    if case .phase(let phase) = event {
      for id in feed.watchers.keys { connections[id]?.dropHeldLevel() }
      if phase.phase.isTerminal, let dictation = phase.dictation { endLeases(through: dictation) }
    }
    if let broadcast = feed.publish(event, at: MonotonicClock.now()) { self.broadcast(broadcast) }
  }

  private func broadcast(_ broadcast: WatcherFeed.Broadcast) {
    for (id, options) in feed.watchers {
      guard let connection = connections[id], !connection.isClosing, let line = broadcast.line(for: options) else {
        continue
      }
      if broadcast.isLevel { connection.queue(level: line) } else { connection.queue(line) }
      touch(connection)
    }
  }

  // MARK: Sending and ending

  private func flush(_ connection: ClientConnection) {
    do throws(Errno) {
      try connection.flush(at: MonotonicClock.now())
    } catch {
      drop(connection)
      return
    }
    let output = connection.output
    if output.byteCount > limits.slowClientByteCount {
      dropSlow(connection)
      return
    }
    if output.isEmpty {
      stalled.remove(connection.id)
      let owes = connection.memory.pendingCount > 0
      let hasMore = owes || (!connection.isClosing && feed.watchers[connection.id] != nil)
      if (connection.isClosing || connection.inputEnded) && !hasMore {
        drop(connection)
        return
      }
    } else {
      stalled.insert(connection.id)
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

  private func dropStalled(at now: Duration) {
    for id in stalled {
      guard let connection = connections[id], let since = connection.output.stalledSince else {
        stalled.remove(id)
        continue
      }
      if now - since >= limits.slowClientPatience { dropSlow(connection) }
    }
  }

  private func dropSlow(_ connection: ClientConnection) {
    Log.warning(
      "client does not read, connection dropped",
      [
        "client": "\(connection.id)", "pid": "\(connection.identity.processID)",
        "bytes": "\(connection.output.byteCount)",
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
    feed.unsubscribe(connection.id)
    stalled.remove(connection.id)
    memory.left(waitingByteCount: connection.output.byteCount)
    if connections.count < limits.clientCount { isFull = false }
    tellGone(connection)
    if connection.hasAskedHandler { handler.connectionClosed(connection.identity) }
    Log.debug("client gone", ["client": "\(connection.id)"])
  }

  private func tellGone(_ connection: ClientConnection) {
    connection.watchdog.end()
    settleWatch(connection)
    guard connection.isKnownToHandler else { return }
    connection.isKnownToHandler = false
    handler.clientGone(connection.identity)
  }
}
