import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct MeterBarGeometryTests {
  private func fraction(
    _ bar: Int, of count: Int = 9, level: Double, after elapsed: Duration = .zero, isAnimated: Bool = false
  ) -> Double {
    MeterBarGeometry.heightFraction(bar: bar, of: count, level: level, after: elapsed, isAnimated: isAnimated)
  }

  @Test("S-89 S-90 the measures")
  func measures() {
    #expect(MeterBarGeometry.barWidth == 3 && MeterBarGeometry.gap == 3)
    #expect(MeterBarGeometry.horizontalInset == 4 && MeterBarGeometry.verticalInset == 3)
    #expect(MeterBarGeometry.fewestBars == 3)
    #expect(MeterBarGeometry.floor == 0.12)
    #expect(MeterBarGeometry.levelExponent == 1.3)
    #expect(MeterBarGeometry.edgeTaper == 0.45)
    #expect(MeterBarGeometry.breathingDepth == 0.12)
    #expect(MeterBarGeometry.breathingPeriod == .seconds(2))
    #expect(MeterBarGeometry.breathingPhaseStep == 0.45)
    #expect(MeterBarGeometry.breathingEndsAt == 0.25)
  }

  private static let counts: [(width: Double, count: Int)] = [
    (0, 3), (23, 3), (28.9, 3), (29, 4), (35, 5), (100, 15), (-5, 3), (Double.nan, 3), (Double.infinity, 3),
    (1e300, 10_000),
  ]

  @Test("S-89 as many bars as fit between the insets, three at least", arguments: counts)
  func barCount(width: Double, count: Int) {
    #expect(MeterBarGeometry.barCount(width: width) == count)
  }

  @Test("S-89 silence is the floor, full level the full height in the middle and less at both ends")
  func shape() {
    for bar in 0..<9 { #expect(fraction(bar, level: 0) == 0.12) }
    #expect(fraction(4, level: 1) == 1)
    #expect(abs(fraction(0, level: 1) - (0.12 + 0.88 * 0.55)) < 1e-9)
    #expect(fraction(0, level: 1) == fraction(8, level: 1))
    for bar in 0..<4 { #expect(fraction(bar, level: 0.7) < fraction(bar + 1, level: 0.7)) }
    // 0.5 ^ 1.3
    #expect(abs(fraction(4, level: 0.5) - (0.12 + 0.88 * 0.406_126)) < 1e-5)
    #expect(fraction(0, of: 1, level: 1) == 1)
  }

  @Test("S-90 a silent bar breathes 0.12 deep in 2 s, each after its neighbour, and less the louder it is")
  func breathing() {
    #expect(abs(fraction(0, level: 0, after: .seconds(1), isAnimated: true) - 0.24) < 1e-9)
    #expect(abs(fraction(0, level: 0, after: .zero, isAnimated: true) - 0.12) < 1e-9)
    #expect(abs(fraction(0, level: 0, after: .seconds(3), isAnimated: true) - 0.24) < 1e-9)
    let step = Duration.seconds(2) * (0.45 / (2 * Double.pi))
    let (first, second) = (
      fraction(0, level: 0, after: .seconds(1), isAnimated: true),
      fraction(1, level: 0, after: .seconds(1) - step, isAnimated: true)
    )
    #expect(abs(first - second) < 1e-6)
    let breath = { (level: Double) in
      fraction(4, level: level, after: .seconds(0.1), isAnimated: true) - fraction(4, level: level)
    }
    #expect(breath(0) > breath(0.1) && breath(0.1) > breath(0.2) && breath(0.2) > 0)
    #expect(breath(0.25) == 0 && breath(0.9) == 0)
  }

  @Test("Y-21 S-89 S-90 the height is within floor and full for any level and time, and constant when not animated")
  func bounds() {
    var random = SeededGenerator(seed: 11)
    let odd: [Double] = [.nan, .infinity, -.infinity, -1, 2, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    for round in 0..<5_000 {
      let count = Int.random(in: 1...60, using: &random)
      let bar = Int.random(in: -2..<(count + 2), using: &random)
      let level = round % 10 == 0 ? odd[round / 10 % odd.count] : Double.random(in: 0...1, using: &random)
      let elapsed = Duration.milliseconds(Int64.random(in: -1_000_000...1_000_000_000, using: &random))
      let animated = fraction(bar, of: count, level: level, after: elapsed, isAnimated: true)
      let still = fraction(bar, of: count, level: level, after: elapsed)
      #expect((0.12...1).contains(animated), "\(bar) of \(count), \(level), \(elapsed)")
      #expect((0.12...1).contains(still))
      #expect(still == fraction(bar, of: count, level: level, after: .zero))
    }
  }
}
