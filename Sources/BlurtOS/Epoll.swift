internal import CLinux
internal import Glibc

/// An epoll set: which of many descriptors are ready (`epoll(7)`). Level-triggered.
///
/// Belongs to one thread. A descriptor leaves the set when it is closed.
package struct Epoll: ~Copyable {
  /// What a descriptor is watched for. Its hang-up is always reported.
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
  }

  /// One ready descriptor.
  package struct Event: Sendable, Hashable {
    /// The number it was added with.
    package let token: UInt64
    /// Bytes, an end, or a connection can be read.
    package let canRead: Bool
    package let canWrite: Bool
    /// Both directions are closed, or the descriptor failed.
    package let isHungUp: Bool
  }

  private let descriptor: FileDescriptor

  package init() throws(Errno) {
    descriptor = FileDescriptor(
      owning: try Syscall.run("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
  }

  package func add(_ watched: Int32, token: UInt64, _ interest: Interest) throws(Errno) {
    try control(EPOLL_CTL_ADD, watched, token, interest)
  }

  package func modify(_ watched: Int32, token: UInt64, _ interest: Interest) throws(Errno) {
    try control(EPOLL_CTL_MOD, watched, token, interest)
  }

  package func remove(_ watched: Int32) throws(Errno) {
    try control(EPOLL_CTL_DEL, watched, 0, [])
  }

  private func control(_ operation: Int32, _ watched: Int32, _ token: UInt64, _ interest: Interest) throws(Errno) {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u64 = token
    try Syscall.run("epoll_ctl") { epoll_ctl(descriptor.raw, operation, watched, &event) }
  }

  /// Waits for at most the given time, for ever if it is nil, and returns up to 64 ready descriptors.
  ///
  /// Returns nothing when the time is over or a signal came.
  package func wait(_ limit: Duration?) throws(Errno) -> [Event] {
    let milliseconds = limit.map { Int32(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
    return try withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { (buffer) throws(Errno) -> [Event] in
      let count = epoll_wait(descriptor.raw, buffer.baseAddress, Int32(buffer.count), milliseconds)
      let code = errno
      if count == -1 {
        if code == EINTR { return [] }
        throw Errno(code, call: "epoll_wait")
      }
      return buffer[..<Int(count)].map { event in
        let bits = event.events
        return Event(
          token: event.data.u64,
          canRead: bits & EPOLLIN.rawValue != 0,
          canWrite: bits & EPOLLOUT.rawValue != 0,
          isHungUp: bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0)
      }
    }
  }
}
