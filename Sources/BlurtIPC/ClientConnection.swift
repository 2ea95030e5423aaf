internal import BlurtContract
internal import BlurtOS

/// One client of the server: its socket, what it has sent so far and what waits for it. Belongs to the server's thread.
final class ClientConnection {
  let identity: ClientIdentity
  private let socket: FileDescriptor
  var framer = LineFramer(longestLine: SessionContract.longestRequestLine)
  var memory = AckMemory()
  private(set) var output = OutputBuffer()
  /// The newest level that could not go out because something else still waits.
  private var heldLevel: [UInt8]?
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
    if !output.isEmpty { wanted.insert(.write) }
    return wanted
  }

  /// Queues a line that must arrive.
  func queue(_ line: [UInt8]) { output.append(line) }

  /// Queues a level, or holds it in place of an older one while something waits (S-149).
  func queue(level line: [UInt8]) {
    if output.isEmpty { output.append(line) } else { heldLevel = line }
  }

  /// Forgets a held level: the phase it was measured in has ended.
  func dropHeldLevel() { heldLevel = nil }

  /// Sends what the client takes, without waiting.
  func flush(at now: Duration) throws(Errno) {
    try output.flush(at: now) { (bytes) throws(Errno) in try UnixSocket.send(bytes, to: socket.raw) }
    if output.isEmpty, let level = heldLevel {
      heldLevel = nil
      output.append(level)
      try output.flush(at: now) { (bytes) throws(Errno) in try UnixSocket.send(bytes, to: socket.raw) }
    }
  }
}
