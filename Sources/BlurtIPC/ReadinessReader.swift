package import BlurtContract
internal import BlurtOS
internal import Glibc

/// What can be known of the daemon without asking it, and so without starting one that waits behind its socket.
///
/// The readiness record says what the daemon last said; the lock beside the socket says whether it lives (S-121). The
/// kernel drops the lock at the daemon's death, so a crash shows at once and not only when the record has aged.
package struct ReadinessReader: Hashable, Sendable {
  package enum Reading: Hashable, Sendable {
    /// A press would be answered, as far as can be seen from here: a daemon that hangs looks like this as well, and only
    /// the handshake can tell.
    case listening(ReadinessRecord)
    /// A daemon lives and refuses presses.
    case notListening(FailureReason)
    /// No daemon lives.
    case noDaemon
  }

  private let recordPath: String
  private let lockPath: String

  /// `record` is the file that the daemon writes, `socket` the path of its socket.
  package init(record: String, socket: String) {
    recordPath = record
    lockPath = SocketClaim.lockPath(of: socket)
  }

  /// The name of the record in the runtime folder `$XDG_RUNTIME_DIR/blurt`.
  package static let fileName = "readiness.json"

  /// Looks now. `sinceBoot` is the present on the boot-time clock, which sleep does not stop.
  package func read(sinceBoot: Duration = MonotonicClock.sinceBoot()) -> Reading {
    let record = record
    let holder: FileLock.Holder
    do throws(Errno) {
      holder = try FileLock.holder(at: lockPath)
    } catch {
      // The lock cannot be looked at; the record's age has to do.
      guard let record, record.isListening(at: sinceBoot, lockIsHeld: false) else { return .noDaemon }
      return .listening(record)
    }
    switch holder {
    case .nobody: return .noDaemon
    case .process(let processID):
      // A record of another process was left by a daemon that died; the new one has not come so far.
      guard let record, processID.map({ Int($0) == record.processID }) ?? true else { return .notListening(.starting) }
      if record.isListening(at: sinceBoot, lockIsHeld: true) { return .listening(record) }
      return .notListening(record.reason ?? .windowClosed)
    }
  }

  /// What the last daemon said last, whether or not it lives; nil where nothing can be read.
  package var record: ReadinessRecord? { Self.contents(of: recordPath).flatMap { ReadinessRecord(line: $0) } }

  /// The first bytes of the file, more than a record has; nil where it cannot be read.
  private static func contents(of path: String) -> [UInt8]? {
    do throws(Errno) {
      let file = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      return try file.read(upTo: 4096)
    } catch {
      // Missing: there is nothing to read.
      return nil
    }
  }
}
