internal import CLinux
internal import Glibc

/// SIGTERM, SIGINT and SIGHUP, taken one by one on the thread that waits for them.
///
/// `block` must run on the main thread before any other thread is started, so that all of them inherit the mask; the
/// main thread then waits. (An async `main` would not do: its thread sleeps in Dispatch with an empty mask.)
package enum TerminationSignals {
  package static let numbers = [SIGTERM, SIGINT, SIGHUP]

  /// Keeps the signals pending instead of ending the process, for this thread and all that it starts. Ignores SIGPIPE.
  package static func block() {
    var set = makeSet()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Blocks the calling thread until one of the signals comes, and returns it.
  package static func wait() -> Int32 {
    var set = makeSet()
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    return number
  }

  private static func makeSet() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
