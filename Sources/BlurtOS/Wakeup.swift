internal import CLinux
internal import Glibc

/// An eventfd that ends a poll on another thread.
///
/// `signal` may be called from any thread; the polling thread puts `descriptor` into its poll set and calls `clear`.
package final class Wakeup: Sendable {
  private let eventDescriptor: FileDescriptor

  package init() throws(Errno) {
    eventDescriptor = FileDescriptor(
      owning: try Syscall.run("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) })
  }

  /// Readable after `signal`, until `clear`.
  package var descriptor: Int32 { eventDescriptor.raw }

  package func signal() {
    var one: UInt64 = 1
    _ = Glibc.write(eventDescriptor.raw, &one, 8)
  }

  package func clear() {
    var count: UInt64 = 0
    _ = Glibc.read(eventDescriptor.raw, &count, 8)
  }
}
