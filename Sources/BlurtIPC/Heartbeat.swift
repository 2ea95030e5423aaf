/// When to say again that the daemon lives: at a fixed pace while that is needed, and never otherwise (S-108).
struct Heartbeat {
  let interval: Duration
  /// When the next one comes; nil while none is needed.
  private(set) var next: Duration?

  init(interval: Duration) { self.interval = interval }

  /// Whether one is due. The first comes one interval after the need has begun: a client that only asks something costs
  /// none.
  mutating func isDue(at now: Duration, isNeeded: Bool) -> Bool {
    guard isNeeded else {
      next = nil
      return false
    }
    guard let due = next, due <= now else {
      next = next ?? now + interval
      return false
    }
    next = now + interval
    return true
  }
}
