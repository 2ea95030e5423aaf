internal import Glibc

/// Where one thread sleeps until it is called (`sem_t`). A call before the sleep is not lost.
///
/// `@unchecked Sendable`: the pointer never changes, and semaphores may be used from any thread.
final class Parking: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Sleeps until `call`. Only the thread that it belongs to.
  func wait() {
    while sem_wait(semaphore) == -1 && errno == EINTR {}
  }

  /// Wakes the sleeper. Any thread.
  func call() { sem_post(semaphore) }
}
