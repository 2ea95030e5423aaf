internal import CLinux
internal import Glibc
internal import Synchronization

/// One named thread for one blocking loop. Its owner joins it.
///
/// Blocking C libraries run here and never on Swift's shared pool, which has only as many threads as there are cores.
package final class WorkerThread: Sendable {
  private struct Start: Sendable {
    let name: String
    let isUrgent: Bool
    let body: @Sendable () -> Void
  }

  private let thread: Mutex<pthread_t?>
  private let name: String

  /// The turn that an urgent thread asks the scheduler for: the shortest that it grants.
  package static let urgentTurn: Duration = .microseconds(100)

  /// Starts the thread. The body ends by the owner's own means (a `Wakeup`, a closed descriptor).
  ///
  /// The name shows up in `ps -T` and is cut to 15 bytes by the kernel. `isUrgent`: its work is short and somebody waits
  /// for it, so that it should run as soon as it is woken, also on a busy machine. Kernels before 6.12 have no such wish.
  package init(name: String, isUrgent: Bool = false, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    self.name = name
    let start = UnsafeMutablePointer<Start>.allocate(capacity: 1)
    start.initialize(to: Start(name: name, isUrgent: isUrgent, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    // Enough for libcurl with OpenSSL and for Xlib, and a small part of the default 8 MiB.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var created = pthread_t()
    let code = pthread_create(&created, &attributes, Self.run, start)
    pthread_attr_destroy(&attributes)
    guard code == 0 else {
      start.deinitialize(count: 1)
      start.deallocate()
      throw Errno(code, call: "pthread_create \(name)")
    }
    thread = Mutex(created)
  }

  deinit {
    thread.withLock { thread in
      if thread != nil { assertionFailure("thread \(name) was never joined") }
    }
  }

  /// Waits until the body returned. Blocks the calling thread; a second call returns at once.
  package func join() {
    let joinable = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let joinable { pthread_join(joinable, nil) }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
    guard let pointer = argument?.assumingMemoryBound(to: Start.self) else { return nil }
    let start = pointer.move()
    pointer.deallocate()
    _ = blurt_linux_set_thread_name(start.name)
    if start.isUrgent { _ = blurt_linux_ask_for_short_turns(UInt64(urgentTurn / .nanoseconds(1))) }
    start.body()
    return nil
  }
}
