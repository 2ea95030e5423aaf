internal import CLinux
internal import Glibc

/// SIGTERM, SIGINT and SIGHUP as a descriptor that a poll can wait for (`signalfd(2)`).
///
/// For a program with one thread; one with more uses `TerminationSignals`.
package struct SignalDescriptor: ~Copyable {
  private let descriptor: FileDescriptor

  /// Blocks the signals for this thread, so that they arrive here instead of ending the process.
  package init() throws(Errno) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in TerminationSignals.numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = FileDescriptor(
      owning: try Syscall.run("signalfd") { signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)) })
  }

  /// Readable when a signal waits.
  package var raw: Int32 { descriptor.raw }

  /// Gives the descriptor away; the caller closes it, or keeps it for the life of the process.
  package consuming func release() -> Int32 { descriptor.release() }
}
