/// A slow, even pulse of something that is going on (S-91).
public struct BreathingOpacity: Sendable, Hashable {
  /// From one brightest moment to the next.
  public let period: Duration
  /// The opacity at the faintest moment.
  public let lowest: Double

  public init(period: Duration, lowest: Double) {
    self.period = period
    self.lowest = lowest
  }

  /// The dot beside a recording.
  public static let recordDot = BreathingOpacity(period: .milliseconds(1_200), lowest: 0.4)
  /// The words of a state that lasts.
  public static let statusLabel = BreathingOpacity(period: .milliseconds(1_800), lowest: 0.55)

  /// The opacity so long after the beginning: a raised cosine between `lowest` and 1, beginning at 1. Always 1 where
  /// nothing is animated.
  public func opacity(after elapsed: Duration, isAnimated: Bool) -> Double {
    guard isAnimated, period > .zero else { return 1 }
    let wave = (1 + ElementaryFunctions.cosine(turns: elapsed / period)) / 2
    return min(1, max(lowest, lowest + (1 - lowest) * wave))
  }
}
