/// How long to wait before the next look for the daemon: twice as long each time, up to five seconds.
struct ReconnectPause: Hashable {
  static let first: Duration = .milliseconds(250)
  static let longest: Duration = .seconds(5)

  private var next = first

  /// The pause that is due now.
  mutating func take() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// It was there: the next absence begins anew.
  mutating func reset() { next = Self.first }
}
