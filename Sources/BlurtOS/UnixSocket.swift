internal import CLinux
internal import Glibc

/// Who is at the other end of a socket, by the kernel's word (SO_PEERCRED).
package struct PeerCredentials: Hashable, Sendable {
  package let processID: Int32
  package let userID: UInt32

  package init(processID: Int32, userID: UInt32) {
    self.processID = processID
    self.userID = userID
  }
}

/// Unix stream sockets: every descriptor is close-on-exec, every write is without SIGPIPE.
package enum UnixSocket {
  /// The longest path that fits into `sockaddr_un`, without its terminator.
  package static let longestPath = 107

  /// Binds and listens. The file gets mode 0600 whatever the umask is.
  package static func listen(at path: String, backlog: Int32 = 64) throws(Errno) -> FileDescriptor {
    let socket = try make()
    try withAddress(path, call: "bind \(path)") { address, length in
      Glibc.bind(socket.raw, address, length)
    }
    try Syscall.run("chmod \(path)") { chmod(path, 0o600) }
    try Syscall.run("listen \(path)") { Glibc.listen(socket.raw, backlog) }
    return socket
  }

  /// Connects; blocks only as long as the listener's backlog is full.
  package static func connect(to path: String) throws(Errno) -> FileDescriptor {
    let socket = try make()
    try withAddress(path, call: "connect \(path)") { address, length in
      Glibc.connect(socket.raw, address, length)
    }
    return socket
  }

  /// Connects, and gives up with EAGAIN when the listener's backlog stays full for that long. Sends are bounded alike.
  package static func connect(to path: String, within limit: Duration) throws(Errno) -> FileDescriptor {
    let socket = try make()
    var time = timeval(tv_sec: Int(limit.components.seconds), tv_usec: 0)
    time.tv_usec = Int(limit.components.attoseconds / 1_000_000_000_000)
    try Syscall.run("setsockopt SO_SNDTIMEO") {
      setsockopt(socket.raw, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    try withAddress(path, call: "connect \(path)") { address, length in
      Glibc.connect(socket.raw, address, length)
    }
    return socket
  }

  /// The path that a listening socket is bound to; nil for one without a name in the file system.
  package static func path(of socket: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return path.isEmpty ? nil : path
  }

  /// Whether some process listens at the path, without connecting to it: a connection could start a service that waits
  /// behind the socket. Nil where the kernel does not tell.
  package static func isListening(at path: String) -> Bool? {
    guard let file = try? FileDescriptor.open("/proc/net/unix", O_RDONLY) else { return nil }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = buffer.withUnsafeMutableBytes { (try? file.read(into: $0)) ?? nil }
      guard let count else { return nil }
      if count == 0 { break }
      text.append(contentsOf: buffer[..<count])
    }
    // Num RefCount Protocol Flags Type St Inode Path; bit 16 of the flags is __SO_ACCEPTCON.
    let name = Array(path.utf8)
    for line in text.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 7, omittingEmptySubsequences: true)
      guard columns.count == 8, columns[7].elementsEqual(name) else { continue }
      if let flags = UInt32(String(decoding: columns[3], as: UTF8.self), radix: 16), flags & 0x10000 != 0 {
        return true
      }
    }
    return false
  }

  /// Accepts one connection from a non-blocking listener; nil when none waits.
  package static func accept(from listener: Int32) throws(Errno) -> FileDescriptor? {
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let raw = try Syscall.runNonBlocking("accept", { blurt_linux_accept(listener, flags) }) else { return nil }
    return FileDescriptor(owning: raw)
  }

  package static func peer(of socket: Int32) throws(Errno) -> PeerCredentials {
    var peer = blurt_linux_peer()
    try Syscall.run("getsockopt SO_PEERCRED") { blurt_linux_peer_credentials(socket, &peer) }
    return PeerCredentials(processID: peer.pid, userID: peer.uid)
  }

  /// A descriptor that becomes readable when the process that made the connection ends (`pidfd_open(2)`).
  ///
  /// Nil for a process that cannot be seen from here; throws ESRCH for one that has ended and left nothing.
  package static func peerProcess(of socket: Int32) throws(Errno) -> FileDescriptor? {
    let known = blurt_linux_peer_pidfd(socket)
    if known >= 0 {
      _ = fcntl(known, F_SETFD, FD_CLOEXEC)
      return FileDescriptor(owning: known)
    }
    let processID = try peer(of: socket).processID
    guard processID > 0 else { return nil }
    return FileDescriptor(owning: try Syscall.run("pidfd_open") { blurt_linux_pidfd_open(processID) })
  }

  /// Sends some of the bytes without SIGPIPE; nil would have blocked.
  package static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("send") {
      Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends some of the bytes without SIGPIPE; nil would have blocked.
  package static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("send") {
      bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// Receives at most `buffer.count` bytes; 0 is the end; nil would have blocked.
  package static func receive(into buffer: inout [UInt8], from socket: Int32) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("recv") {
      buffer.withUnsafeMutableBytes { Glibc.recv(socket, $0.baseAddress, $0.count, 0) }
    }
  }

  package static func setNonBlocking(_ descriptor: Int32, _ on: Bool) throws(Errno) {
    let flags = try Syscall.run("fcntl F_GETFL") { fcntl(descriptor, F_GETFL) }
    let wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    try Syscall.run("fcntl F_SETFL") { fcntl(descriptor, F_SETFL, wanted) }
  }

  private static func make() throws(Errno) -> FileDescriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return FileDescriptor(owning: try Syscall.run("socket") { Glibc.socket(AF_UNIX, type, 0) })
  }

  private static func withAddress(
    _ path: String, call: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Errno) {
    let bytes = Array(path.utf8)
    guard bytes.count <= longestPath else { throw Errno(ENAMETOOLONG, call: call) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    try Syscall.run(call) {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
  }
}
