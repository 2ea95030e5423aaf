internal import Glibc

/// The listening socket that systemd hands over (`sd_listen_fds(3)`).
package enum SocketActivation {
  /// The descriptor of the first socket passed to this very process, or nil.
  ///
  /// Makes it close-on-exec and removes the variables, so that no child takes them for its own. Call once, at start,
  /// before any other thread.
  package static func take(environment: [String: String], processID: Int32 = getpid()) -> Int32? {
    defer {
      for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    }
    guard let owner = environment["LISTEN_PID"].flatMap(Int32.init), owner == processID,
      let count = environment["LISTEN_FDS"].flatMap(Int32.init), count >= 1
    else { return nil }
    let first: Int32 = 3
    for descriptor in first..<(first + min(count, 16)) {
      let flags = fcntl(descriptor, F_GETFD)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
      if descriptor > first { close(descriptor) }
    }
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(first, SOL_SOCKET, SO_TYPE, &type, &length) == 0, type == Int32(SOCK_STREAM.rawValue) else {
      return nil
    }
    return first
  }
}
