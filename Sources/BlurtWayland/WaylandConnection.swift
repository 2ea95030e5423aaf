internal import BlurtOS
internal import Glibc

/// A connection to a compositor for a few questions of the core protocol, without a library. Every call blocks, all of them
/// together until the deadline.
struct WaylandConnection: ~Copyable {
  /// More than any compositor says at once: what is longer is no compositor.
  private static let answerLimit = 1 << 20
  /// The display itself, its registry, and the first number that is free for further objects.
  static let displayID: UInt32 = 1
  private static let registryID: UInt32 = 2
  static let firstFreeID: UInt32 = 4

  private let socket: FileDescriptor
  private let deadline: Duration
  private var unread: [UInt8] = []

  /// Fails where nobody listens.
  init(path: String, within limit: Duration) throws(Errno) {
    let deadline = MonotonicClock.now() + limit
    socket = try UnixSocket.connect(to: path, within: limit)
    self.deadline = deadline
  }

  /// What the compositor has; nil where nobody answers in time. Asked once, first.
  mutating func globals() throws(Errno) -> [WaylandGlobals.Global]? {
    // wl_display.get_registry.
    let request = WaylandMessage.request(Self.displayID, 1, WaylandMessage.word(Self.registryID))
    return try ask(request, callback: Self.registryID + 1)?.compactMap(WaylandGlobals.Global.init)
  }

  /// Binds an interface of the compositor to a number (wl_registry.bind).
  static func bind(_ global: WaylandGlobals.Global, version: UInt32, to id: UInt32) -> [UInt8] {
    WaylandMessage.request(
      registryID, 0,
      WaylandMessage.word(global.number) + WaylandMessage.string(global.interface) + WaylandMessage.word(version)
        + WaylandMessage.word(id))
  }

  /// Sends requests and returns what came until the compositor had carried them out (wl_display.sync); nil where it does
  /// not answer in time. `callback` is a free number.
  mutating func ask(_ requests: [UInt8], callback: UInt32) throws(Errno) -> [WaylandMessage]? {
    let request = requests + WaylandMessage.request(Self.displayID, 0, WaylandMessage.word(callback))
    guard try UnixSocket.send(request[...], to: socket.raw) == request.count else { return nil }
    var part = [UInt8](repeating: 0, count: 16_384)
    while true {
      if let (messages, size) = WaylandMessage.list(unread, before: callback) {
        unread.removeFirst(size)
        return messages
      }
      // Who sends without end is not listened to without end.
      guard unread.count < Self.answerLimit, MonotonicClock.now() < deadline,
        SocketWait.isReadable(socket.raw, until: deadline),
        let count = try UnixSocket.receive(into: &part, from: socket.raw), count > 0
      else { return nil }
      unread += part[..<count]
    }
  }
}
