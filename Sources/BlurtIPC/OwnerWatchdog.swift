internal import BlurtContract

/// The leases of one connection: which of its presses are bound to its life, and when it must be heard from (S-132).
///
/// A value without a clock or a descriptor: the server's thread watches while `isNeeded`.
struct OwnerWatchdog {
  private struct Held {
    /// The id of the press.
    let command: String
    /// The silence that ends it; nil: none does.
    let limit: Duration?
    /// Known once the press was accepted.
    var dictation: UInt64?
  }

  private var held: [Held] = []
  private var lastHeard: Duration = .zero

  /// Whether a lease is held, or asked for by a press without an answer yet.
  var isNeeded: Bool { !held.isEmpty }

  /// When the client has been silent for longer than it promised; nil where it promised nothing.
  var silentAt: Duration? { held.compactMap(\.limit).min().map { lastHeard + $0 } }

  /// A leased press was read.
  mutating func pressed(_ command: String, _ lease: Lease, at now: Duration) {
    let limit: Duration?
    switch lease {
    case .none: return
    case .connection: limit = nil
    case .heartbeat(let promised): limit = promised
    }
    held.append(Held(command: command, limit: limit, dictation: nil))
    lastHeard = now
  }

  /// Some line of the client was read.
  mutating func heard(at now: Duration) { lastHeard = now }

  /// The press was answered: without a dictation there is no lease. Dictations before `firstLive` have ended already.
  mutating func answered(_ ack: CommandAck, firstLive: UInt64) {
    guard let index = held.firstIndex(where: { $0.command == ack.id }) else { return }
    guard ack.result == .started, (ack.dictation ?? .max) >= firstLive else {
      held.remove(at: index)
      return
    }
    held[index].dictation = ack.dictation ?? .max
  }

  /// Dictations up to that one have ended.
  mutating func ended(through dictation: UInt64) { held.removeAll { ($0.dictation ?? .max) <= dictation } }

  /// Every lease is over.
  mutating func end() { held = [] }
}
