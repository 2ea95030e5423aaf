import BlurtEngine
import Testing

/// The power of a block given as an array.
private func power(_ samples: [Int16], channelCount: Int = 1) -> Double {
  samples.withUnsafeBufferPointer { AudioPower.decibels(of: $0, channelCount: channelCount) }
}

@Suite struct AudioPowerTests {
  @Test("a full-scale square wave is 0 dBFS, half of it 6 dB less, one bit of noise about −90")
  func scale() {
    let loud = (0..<320).map { Int16($0.isMultiple(of: 2) ? -32_768 : 32_767) }
    #expect(abs(power(loud)) < 0.001)
    let half = (0..<320).map { Int16($0.isMultiple(of: 2) ? -16_384 : 16_384) }
    #expect(abs(power(half) + 6.0206) < 0.0001)
    let oneBit = (0..<320).map { Int16($0.isMultiple(of: 2) ? -1 : 1) }
    #expect(abs(power(oneBit) + 90.3090) < 0.0001)
  }

  @Test("C-15 the loudest channel counts, wherever it stands; no signal path reads as −160")
  func loudestChannel() {
    let right = (0..<640).map { Int16($0.isMultiple(of: 2) ? 0 : 1_000) }
    let mono = [Int16](repeating: 1_000, count: 320)
    #expect(power(right, channelCount: 2) == power(mono))
    #expect(power([]) == -160)
    #expect(power([0, 0, 0, 0], channelCount: 2) == -160)
    #expect(power(mono, channelCount: 0) == -160)
  }

  @Test(
    "the logarithm is right over the whole range of powers",
    arguments: [(0, 1.0), (1, 10.0), (-1, 0.1), (3, 1_000.0), (-12, 1e-12), (-9, 1e-9), (0.301029995663981, 2.0)])
  func logarithm(expected: Double, value: Double) {
    // A mean square of `value`, made from an energy over one frame.
    let energy = value * 32_768 * 32_768
    #expect(abs(AudioPower.decibels(energy: energy, frameCount: 1) - 10 * expected) < 1e-9)
  }
}
