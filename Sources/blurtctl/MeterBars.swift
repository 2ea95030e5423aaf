internal import Glibc

/// The shape of the level meter (S-89…S-91, Y-21): pure numbers, from level and time to heights.
enum MeterBars {
  /// The lowest a bar gets, as a fraction of the full height (S-89).
  static let heightFloor = 0.12
  /// How levels become heights (S-89).
  static let levelExponent = 1.3
  /// How much lower the outermost bars are (S-89).
  static let edgeTaper = 0.45
  /// The fewest bars (S-89).
  static let fewestBars = 3
  /// How much the bars move while nothing is said (S-90).
  static let breathingDepth = 0.12
  /// Seconds of one breath (S-90).
  static let breathingPeriod = 2.0
  /// How far each bar is behind its neighbour (S-90), in radians.
  static let phaseStep = 0.45
  /// The level at which breathing has faded out (S-90).
  static let breathingEnd = 0.25

  /// The heights of that many bars, each between the floor and 1. Without a time they do not breathe.
  static func heights(count: Int, level: Double, time: Double?) -> [Double] {
    let count = max(fewestBars, count)
    let level = level.isFinite ? min(max(level, 0), 1) : 0
    let middle = Double(count - 1) / 2
    return (0..<count).map { bar in
      let distance = abs(Double(bar) - middle) / middle
      let taper = 1 - edgeTaper * distance * distance
      let height = heightFloor + (1 - heightFloor) * pow(level, levelExponent) * taper + breathing(bar, level, time)
      return min(max(height, heightFloor), 1)
    }
  }

  private static func breathing(_ bar: Int, _ level: Double, _ time: Double?) -> Double {
    guard let time, time.isFinite, level < breathingEnd else { return 0 }
    let angle = 2 * Double.pi * (time / breathingPeriod).truncatingRemainder(dividingBy: 1) - phaseStep * Double(bar)
    return breathingDepth * (1 - level / breathingEnd) * (1 - cos(angle)) / 2
  }

  /// As block characters, one for each bar.
  static func text(_ heights: [Double]) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    return String(
      heights.map { height in
        let step = Int((min(max(height, 0), 1) * Double(blocks.count)).rounded(.up)) - 1
        return blocks[min(max(step, 0), blocks.count - 1)]
      })
  }
}
