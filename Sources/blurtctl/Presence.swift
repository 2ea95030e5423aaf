internal import BlurtContract

/// The client's word that it is on the user's screen, said again while it lasts (S-112, S-131).
struct Presence {
  /// When it is said next, on the monotonic clock; nil where it is not held.
  private(set) var due: Duration?
  private var lastCommand: String?
  private var wasRefused = false

  init(isHeld: Bool) { due = isHeld ? .zero : nil }

  func isDue(at now: Duration) -> Bool { due.map { now >= $0 } ?? false }

  mutating func sent(_ id: String, at now: Duration) {
    lastCommand = id
    due = now + SessionContract.presenceHeartbeat
  }

  /// Whether an answer refuses it for the first time in a row: another client holds it. It is asked for again all the
  /// same, since the other one may end.
  mutating func isRefused(_ ack: CommandAck) -> Bool {
    guard ack.id == lastCommand else { return false }
    defer { wasRefused = ack.result != .done }
    return ack.result != .done && !wasRefused
  }
}
