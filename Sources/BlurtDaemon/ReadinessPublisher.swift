package import BlurtContract
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// Writes the readiness record, as its one writer (S-120, S-122).
///
/// Any thread. The file is replaced as a whole, mode 0600. A write that fails never ends anything: there is one warning,
/// and the next step tries again.
package final class ReadinessPublisher: Sendable {
  private struct State {
    var event: ListeningEvent?
    /// This process has the right to write: no other daemon lives.
    var mayWrite = false
    var hasWarned = false
  }

  package let path: String
  private let processID: Int
  private let now: @Sendable () -> Duration
  private let state = Mutex(State())
  /// Held for one write, so that the newest state is written last.
  private let writing = Mutex(())

  /// `now` is of the boot-time clock.
  package init(
    path: String, processID: Int = Int(getpid()),
    now: @escaping @Sendable () -> Duration = { MonotonicClock.sinceBoot() }
  ) {
    self.path = path
    self.processID = processID
    self.now = now
  }

  /// The daemon's lock is held: from now on the record is this process's.
  package func begin() {
    state.withLock { $0.mayWrite = true }
    write()
  }

  /// Takes a step of the window and writes it.
  package func publish(_ event: ListeningEvent) {
    state.withLock { $0.event = event }
    write()
  }

  /// Writes the same state again with a new time (S-108).
  package func renew() { write() }

  private func write() {
    writing.withLock { _ in
      guard let event = state.withLock({ $0.mayWrite ? $0.event : nil }) else { return }
      let record = ReadinessRecord(
        state: event.state, reason: event.reason, generation: event.generation, publishedAt: now(),
        processID: processID)
      do throws(Errno) {
        try PrivateFile.replace(path, with: record.line, temporary: path + ".new", isDurable: false)
        state.withLock { $0.hasWarned = false }
      } catch {
        let isNew = state.withLock { state in
          defer { state.hasWarned = true }
          return !state.hasWarned
        }
        if isNew { Log.warning("the readiness record cannot be written", ["path": path, "error": "\(error)"]) }
      }
    }
  }
}
