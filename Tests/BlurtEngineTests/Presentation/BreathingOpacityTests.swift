import BlurtEngine
import Testing

@Suite struct BreathingOpacityTests {
  @Test("S-91 the dot pulses in 1.2 s down to 0.4, the label in 1.8 s down to 0.55")
  func pulses() {
    for (pulse, period, lowest) in [(BreathingOpacity.recordDot, 1.2, 0.4), (.statusLabel, 1.8, 0.55)] {
      func opacity(_ seconds: Double) -> Double { pulse.opacity(after: .seconds(seconds), isAnimated: true) }
      #expect(opacity(0) == 1)
      #expect(abs(opacity(period / 2) - lowest) < 1e-9)
      #expect(abs(opacity(period / 4) - (1 + lowest) / 2) < 1e-9)
      #expect(abs(opacity(period) - 1) < 1e-9)
      #expect(abs(opacity(7.5 * period) - lowest) < 1e-9)
    }
  }

  @Test("Y-21 S-91 the opacity never leaves its range, and is constant when not animated")
  func bounds() {
    for milliseconds in stride(from: Int64(-5_000), through: 100_000_000, by: 7_777) {
      let elapsed = Duration.milliseconds(milliseconds)
      #expect((0.4...1).contains(BreathingOpacity.recordDot.opacity(after: elapsed, isAnimated: true)))
      #expect(BreathingOpacity.statusLabel.opacity(after: elapsed, isAnimated: false) == 1)
    }
    #expect(BreathingOpacity(period: .zero, lowest: 0.1).opacity(after: .seconds(1), isAnimated: true) == 1)
  }
}
