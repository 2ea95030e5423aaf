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

  /// Sends some of the bytes without SIGPIPE; nil would have blocked.
  package static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("send") {
      Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
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
