/// The clients that do not take what waits for them, and when the first of them has been waited for long enough.
///
/// A value without a clock. Looking costs nothing before that time, however many there are.
struct SlowClients {
  private let patience: Duration
  /// Since when each of them has taken nothing.
  private var stalled: [UInt64: Duration] = [:]
  /// No patience ends before this; nil while there is none to end.
  private(set) var nextLook: Duration?

  init(patience: Duration) { self.patience = patience }

  /// Since when a client has taken nothing; nil where nothing waits for it.
  mutating func note(_ client: UInt64, since: Duration?) {
    guard let since else {
      remove(client)
      return
    }
    guard stalled.updateValue(since, forKey: client) != since else { return }
    nextLook = min(nextLook ?? since + patience, since + patience)
  }

  mutating func remove(_ client: UInt64) {
    guard stalled.removeValue(forKey: client) != nil, stalled.isEmpty else { return }
    nextLook = nil
  }

  /// Those who have taken nothing for too long.
  mutating func overdue(at now: Duration) -> [UInt64] {
    guard let look = nextLook, look <= now else { return [] }
    let overdue = stalled.filter { $0.value + patience <= now }.map(\.key)
    for client in overdue { stalled[client] = nil }
    nextLook = stalled.values.min().map { $0 + patience }
    return overdue.sorted()
  }
}
