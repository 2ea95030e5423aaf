internal import BlurtContract
internal import BlurtOS

/// One client of the server: its socket, what it has sent so far and what waits for it. Belongs to the server's thread.
final class ClientConnection {
  let identity: ClientIdentity
  private let socket: FileDescriptor
  var framer = LineFramer(longestLine: SessionContract.longestRequestLine)
  var memory = AckMemory()
  /// What is for this client alone, and the rest of an event of which it took a part.
  private(set) var output = OutputBuffer()
  /// What it watches; nil: nothing.
  private(set) var subscription: Subscription?
  /// It did not take everything when something was last sent.
  private(set) var isBlocked = false
  /// Since when it has taken nothing of what waits; nil when nothing waits.
  private(set) var stalledSince: Duration?
  /// Nothing more is read; the connection closes when nothing waits any more.
  var isClosing = false
  /// The client has closed its sending side.
  var inputEnded = false
  /// Both sides are closed: nobody reads an answer.
  var isHungUp = false
  /// It is in the server's list of connections with something to send.
  var isDirty = false
  /// The handler knows this client.
  var isKnownToHandler = false
  /// The leases of its presses.
  var watchdog = OwnerWatchdog()
  /// The client's process, watched while it holds a lease. Closing it takes it out of the epoll set.
  var process: FileDescriptor?
  /// The handler was asked something by it, and may owe it an answer.
  var hasAskedHandler = false
  /// What the server's epoll set watches now.
  var interest: Epoll.Interest = .read

  init(identity: ClientIdentity, socket: consuming FileDescriptor) {
    self.identity = identity
    self.socket = socket
  }

  var id: UInt64 { identity.connection }
  var descriptor: Int32 { socket.raw }

  /// What the epoll set should watch.
  var wantedInterest: Epoll.Interest {
    var wanted: Epoll.Interest = []
    if !inputEnded && !isClosing { wanted.insert(.read) }
    if isBlocked { wanted.insert(.write) }
    return wanted
  }

  /// How many bytes wait.
  func waitingByteCount(_ news: EventNews) -> Int {
    output.byteCount + (subscription.map { news.byteCount(for: $0) } ?? 0)
  }

  /// Queues a line that must arrive.
  func queue(_ line: [UInt8]) { output.append(line) }

  /// Watches from now on. What it was not told so far it is told first, as it was asked for.
  func subscribe(_ options: WatchOptions, _ news: EventNews) {
    settleSubscription(news)
    subscription = news.subscription(options)
  }

  /// Queues what it has not been told, and watches no more.
  func settleSubscription(_ news: EventNews) {
    guard let old = subscription else { return }
    for line in news.lines(for: old) { queue(line) }
    subscription = nil
  }

  /// Sends what the client takes, without waiting: first what is for it alone, then what is new for watchers.
  func flush(_ news: inout EventNews, at now: Duration) throws(Errno) {
    var progressed = try flushOutput()
    isBlocked = !output.isEmpty
    while !isBlocked, var subscription, let packet = news.packet(for: subscription) {
      let taken = try UnixSocket.send(packet[...], to: socket.raw) ?? 0
      progressed = progressed || taken > 0
      let rest = news.advance(&subscription, by: taken, of: packet)
      if !rest.isEmpty { output.append(Array(rest)) }
      self.subscription = subscription
      // One that is far behind gets the rest in its next turn: others have theirs in between.
      isBlocked = taken < packet.count || packet.count > EventBacklog.longestPacket / 2
    }
    if !isBlocked { stalledSince = nil } else if progressed || stalledSince == nil { stalledSince = now }
  }

  private func flushOutput() throws(Errno) -> Bool {
    try output.flush { (bytes) throws(Errno) in try UnixSocket.send(bytes, to: socket.raw) }
  }
}
