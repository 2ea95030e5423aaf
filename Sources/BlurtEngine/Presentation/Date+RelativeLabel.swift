public import FoundationEssentials

extension Date {
  /// How long ago this was, in English: `just now` below a minute and for a time that is still to come, since clocks are
  /// set; then the whole minutes, hours, days, weeks, months of 30 days or years of 365.
  public func relativeLabel(asOf now: Date) -> String {
    let age = now.timeIntervalSince(self)
    guard age.isFinite, age >= RecentDictation.justNowThreshold / .seconds(1) else { return "just now" }
    let (length, name) = Self.relativeUnits.first { age >= $0.length } ?? (60, "minute")
    let count = Int(min(age / length, 1_000_000_000))
    return count == 1 ? "1 \(name) ago" : "\(count) \(name)s ago"
  }

  /// The longest first, in seconds.
  private static let relativeUnits: [(length: Double, name: String)] = [
    (31_536_000, "year"), (2_592_000, "month"), (604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute"),
  ]
}

extension RecentDictation {
  /// S-95: what is younger is called "just now".
  public static let justNowThreshold: Duration = .seconds(60)

  /// How long ago it was said, for a list (S-95).
  public func relativeLabel(asOf now: Date) -> String { at.relativeLabel(asOf: now) }
}
