import BlurtEngine
import Testing

extension LevelMeter {
  fileprivate mutating func hear(_ samples: [Int16]) -> Float? { samples.withUnsafeBufferPointer { hear($0) } }
}

@Suite struct LevelMeterTests {
  @Test(
    "C-30 (dB + 50) ÷ 50, held to 0…1, and 0 for what is not finite",
    arguments: [
      (-160.0, Float(0)), (-50, 0), (-50.001, 0), (-25, 0.5), (-10, 0.8), (0, 1), (3, 1), (.nan, 0), (.infinity, 0),
      (-.infinity, 0),
    ])
  func value(power: Double, expected: Float) {
    #expect(abs(LevelMeter.value(ofPowerDB: power) - expected) < 1e-6)
  }

  @Test("C-30 one value for each 50 ms of sound: 20 a second", arguments: [1, 160, 320, 800, 1_600, 16_000])
  func rate(blockSize: Int) {
    var meter = LevelMeter()
    var values = 0
    for _ in 0..<(16_000 / blockSize) where meter.hear([Int16](repeating: 5_000, count: blockSize)) != nil {
      values += 1
    }
    // A block of more than 50 ms yields its newest value alone.
    #expect(values == min(20, 16_000 / blockSize))
  }

  @Test("C-30 the value is the power of the window, whatever the blocks")
  func windows() throws {
    var meter = LevelMeter()
    let unfinished = meter.hear([Int16](repeating: 0, count: 799))
    #expect(unfinished == nil)
    let finished = meter.hear([0])
    #expect(finished == 0)
    let half = meter.hear([Int16](repeating: 16_384, count: 800))
    let value = try #require(half)
    #expect(abs(value - (50 - 6.0206) / 50) < 1e-4)
  }
}
