import Glibc

/// A value behind a pthread mutex.
///
/// For state that is fought over by several threads: the thread sanitizer knows pthread mutexes, while it takes a
/// contended `Synchronization.Mutex` for a race, because the waiting is done inside a library that it does not see.
final class Locked<Value>: @unchecked Sendable {
  // Safe: the value is touched only between lock and unlock.
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
