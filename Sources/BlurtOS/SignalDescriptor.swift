internal import CLinux
internal import Glibc

/// Signals, by default SIGTERM, SIGINT and SIGHUP, as a descriptor that a poll can wait for (`signalfd(2)`).
///
/// For a program with one thread; one with more uses `TerminationSignals`.
package struct SignalDescriptor: ~Copyable {
  private let descriptor: FileDescriptor

  /// Blocks the signals for this thread, so that they arrive here instead of ending the process.
  package init(_ numbers: [Int32] = TerminationSignals.numbers) throws(Errno) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = FileDescriptor(
      owning: try Syscall.run("signalfd") { signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)) })
  }

  /// Readable when a signal waits.
  package var raw: Int32 { descriptor.raw }

  /// The signal that has come first; nil where none has.
  package func next() -> Int32? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor.raw, &info, size) == size else { return nil }
    return Int32(bitPattern: info.ssi_signo)
  }

  /// Gives the descriptor away; the caller closes it, or keeps it for the life of the process.
  package consuming func release() -> Int32 { descriptor.release() }
}
