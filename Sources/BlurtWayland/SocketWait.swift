internal import BlurtOS
internal import Glibc

/// Waits for descriptors with a deadline.
enum SocketWait {
  /// Whether it can be read before the deadline (an end counts).
  static func isReadable(_ descriptor: Int32, until deadline: Duration) -> Bool {
    !readable([descriptor], until: deadline).isEmpty
  }

  /// Those that can be read; none when the deadline came first. Blocks.
  static func readable(_ descriptors: [Int32], until deadline: Duration) -> Set<Int32> {
    while true {
      let left = max(.zero, deadline - MonotonicClock.now())
      var set = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // Rounded up: a rest under a millisecond must not spin.
      let milliseconds = Int32(clamping: Int((left + .microseconds(999)) / .milliseconds(1)))
      let count = poll(&set, nfds_t(set.count), milliseconds)
      if count > 0 { return Set(set.filter { $0.revents != 0 }.map(\.fd)) }
      if MonotonicClock.now() >= deadline { return [] }
    }
  }
}
