internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// The connections that hold a lease, and what tells of their death (S-132, S-133). Belongs to the server's thread.
final class LeaseHolders {
  /// Set in the token of a client's process, beside the number of its connection.
  static let processBit: UInt64 = 1 << 63

  private var holders: [UInt64: ClientConnection] = [:]

  /// When the first of them has been silent for longer than it promised; nil where none promised anything.
  var nextSilence: Duration? { holders.values.compactMap(\.watchdog.silentAt).min() }

  /// Notes a leased press, before the handler sees it.
  func pressed(_ command: ClientCommand, _ connection: ClientConnection) {
    guard case .press(_, let lease, _) = command.action, lease != .none else { return }
    connection.watchdog.pressed(command.id, lease, at: MonotonicClock.now())
    holders[connection.id] = connection
  }

  /// Notes the answer to a press that may have been leased. `current` is the phase of now.
  func answered(_ ack: CommandAck, _ connection: ClientConnection, current: PhaseEvent) {
    guard connection.watchdog.isNeeded else { return }
    let firstLive = current.phase.isTerminal ? current.dictation.map { $0 + 1 } : current.dictation
    connection.watchdog.answered(ack, firstLive: firstLive ?? 0)
    settle(connection)
  }

  /// Watches the process of a client that holds a lease, so that its death is seen while a child of its holds the
  /// socket (S-133). False: it has ended.
  func watchProcess(of connection: ClientConnection, in epoll: borrowing Epoll) -> Bool {
    guard connection.watchdog.isNeeded, connection.process == nil else { return true }
    do throws(Errno) {
      guard let process = try UnixSocket.peerProcess(of: connection.descriptor) else { return true }
      try epoll.add(process.raw, token: connection.id | Self.processBit, .read)
      connection.process = consume process
    } catch {
      if error.code == ESRCH { return false }
      Log.warning(
        "the process of a client cannot be watched; the end of its connection counts",
        ["client": "\(connection.id)", "error": "\(error)"])
    }
    return true
  }

  /// Those who have been silent for longer than they promised.
  func silent(at now: Duration) -> [ClientConnection] {
    holders.values.filter { $0.watchdog.silentAt.map { $0 <= now } ?? false }
  }

  /// The leases of a connection are over.
  func end(_ connection: ClientConnection) {
    connection.watchdog.end()
    settle(connection)
  }

  /// A dictation has ended, and with it its lease.
  func ended(through dictation: UInt64) {
    for connection in holders.values {
      connection.watchdog.ended(through: dictation)
      settle(connection)
    }
  }

  /// Lets go of what is watched for leases that are over.
  private func settle(_ connection: ClientConnection) {
    guard !connection.watchdog.isNeeded else { return }
    connection.process = nil
    holders[connection.id] = nil
  }
}
