/// The measures of the level meter and the height of each of its bars (S-89, S-90).
public enum MeterBarGeometry {
  /// The width of a bar, in points.
  public static let barWidth = 3.0
  /// The gap between two bars.
  public static let gap = 3.0
  /// What stays free at the left and at the right.
  public static let horizontalInset = 4.0
  /// What stays free at the top and at the bottom.
  public static let verticalInset = 3.0
  /// The fewest bars, however narrow the meter is.
  public static let fewestBars = 3
  /// The height of a bar in silence, where 1 is the full height.
  public static let floor = 0.12
  /// The power to which a level is raised: quiet sound moves the bars less.
  public static let levelExponent = 1.3
  /// How much less than the middle the bars at both ends move.
  public static let edgeTaper = 0.45
  /// How far a silent bar breathes over its floor.
  public static let breathingDepth = 0.12
  /// How long one breath takes.
  public static let breathingPeriod: Duration = .seconds(2)
  /// How much each bar breathes after its left neighbour, in radians.
  public static let breathingPhaseStep = 0.45
  /// The level from which on nothing breathes.
  public static let breathingEndsAt = 0.25

  /// How many bars a meter of that width has.
  public static func barCount(width: Double) -> Int {
    let room = (width - 2 * horizontalInset + gap) / (barWidth + gap)
    guard room.isFinite, room > Double(fewestBars) else { return fewestBars }
    return Int(min(room, 10_000))
  }

  /// The height of a bar as a part of the full one, `floor`…1.
  ///
  /// `level` is a value of the level meter, 0…1; what is not one counts as the nearest one, and not a number as 0.
  public static func heightFraction(
    bar: Int, of barCount: Int, level: Double, after elapsed: Duration, isAnimated: Bool
  ) -> Double {
    let level = level.isNaN ? 0 : min(1, max(0, level))
    let swing = ElementaryFunctions.power(level, levelExponent) * taper(bar: bar, of: barCount)
    let breath = isAnimated ? breath(bar: bar, level: level, after: elapsed) : 0
    return min(1, max(floor, floor + (1 - floor) * swing + breath))
  }

  /// 1 in the middle, less towards both ends.
  private static func taper(bar: Int, of barCount: Int) -> Double {
    guard barCount > 1 else { return 1 }
    let place = 2 * Double(bar) / Double(barCount - 1) - 1
    return 1 - edgeTaper * place.magnitude
  }

  private static func breath(bar: Int, level: Double, after elapsed: Duration) -> Double {
    let strength = max(0, 1 - level / breathingEndsAt)
    let turns = elapsed / breathingPeriod + Double(bar) * breathingPhaseStep / (2 * .pi)
    return breathingDepth * strength * (1 - ElementaryFunctions.cosine(turns: turns)) / 2
  }
}
