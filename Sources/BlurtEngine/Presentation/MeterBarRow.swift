/// The level meter at one moment: a row of bars that grow from the middle line (S-89).
public struct MeterBarRow: Sendable, Hashable {
  /// One bar, in points from the meter's left upper corner.
  public struct Bar: Sendable, Hashable {
    public let x: Double
    public let y: Double
    public let width: Double
    public let height: Double
  }

  /// The height of each bar as a part of the full one.
  public let fractions: [Double]

  /// A row of so many bars, of one at least.
  public init(barCount: Int, level: Double, after elapsed: Duration, isAnimated: Bool) {
    let barCount = max(1, barCount)
    fractions = (0..<barCount).map {
      MeterBarGeometry.heightFraction(
        bar: $0, of: barCount, level: level, after: elapsed, isAnimated: isAnimated)
    }
  }

  /// The row of a meter of that width.
  public init(width: Double, level: Double, after elapsed: Duration, isAnimated: Bool) {
    self.init(
      barCount: MeterBarGeometry.barCount(width: width), level: level, after: elapsed, isAnimated: isAnimated)
  }

  /// The bars in a meter of that size: the row stands in its middle, each bar as well.
  public func bars(width: Double, height: Double) -> [Bar] {
    let (barWidth, gap) = (MeterBarGeometry.barWidth, MeterBarGeometry.gap)
    let rowWidth = Double(fractions.count) * (barWidth + gap) - gap
    let room = max(0, height - 2 * MeterBarGeometry.verticalInset)
    return fractions.enumerated().map { index, fraction in
      Bar(
        x: (width - rowWidth) / 2 + Double(index) * (barWidth + gap), y: (height - room * fraction) / 2,
        width: barWidth, height: room * fraction)
    }
  }

  /// The row as block characters, one for each bar, for a terminal.
  public var blocks: String {
    let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    return String(fractions.map { blocks[min(7, max(0, Int($0 * 8)))] })
  }
}
