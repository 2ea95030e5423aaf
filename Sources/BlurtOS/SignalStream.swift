internal import CLinux
internal import Glibc

/// SIGTERM, SIGINT and SIGHUP as an async stream, read from a signalfd on a thread of its own.
///
/// `block` must run on the main thread before any other thread is started, so that all of them inherit the mask.
package final class SignalStream: Sendable {
  /// The signals that arrive here instead of ending the process.
  package static let signals = [SIGTERM, SIGINT, SIGHUP]

  package let stream: AsyncStream<Int32>
  private let wakeup: Wakeup
  private let thread: WorkerThread

  /// Blocks the signals for this thread and all that it starts, and ignores SIGPIPE.
  package static func block() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  package init() throws(Errno) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in Self.signals { sigaddset(&set, number) }
    let descriptor = try Syscall.run("signalfd") {
      signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    }
    let wakeup = try Wakeup()
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    self.wakeup = wakeup
    thread = try WorkerThread(name: "blurt-signals") {
      let signals = FileDescriptor(owning: descriptor)
      while true {
        var set = [
          pollfd(fd: signals.raw, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&set, 2, -1)
        if set[1].revents != 0 { break }
        var info = signalfd_siginfo()
        if Glibc.read(signals.raw, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
          continuation.yield(Int32(info.ssi_signo))
        }
      }
      continuation.finish()
    }
  }

  /// Ends the stream and its thread.
  package func stop() {
    wakeup.signal()
    thread.join()
  }
}
