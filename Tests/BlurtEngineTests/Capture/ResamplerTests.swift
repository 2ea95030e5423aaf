import BlurtEngine
import Glibc
import Testing

@Suite struct ResamplerTests {
  private func tone(_ frequency: Double, rate: Int, seconds: Double = 0.5) -> [Float] {
    (0..<Int(Double(rate) * seconds)).map { Float(10_000 * sin(2 * Double.pi * frequency * Double($0) / Double(rate))) }
  }

  private func convert(_ input: [Float], from rate: Int, pieces: Int? = nil) -> [Float] {
    var resampler = Resampler(from: rate, to: 16_000)
    var output: [Float] = []
    let piece = max(1, pieces ?? input.count)
    for start in stride(from: 0, to: input.count, by: piece) {
      Array(input[start..<min(start + piece, input.count)]).withUnsafeBufferPointer {
        resampler.convert($0, into: &output)
      }
    }
    resampler.finish(into: &output)
    return output
  }

  /// The power against a sine of full height, in dB, without the first and last 20 ms.
  private func decibels(_ samples: [Float]) -> Double {
    let middle = samples.dropFirst(320).dropLast(320)
    let mean = middle.reduce(0) { $0 + Double($1) * Double($1) } / Double(middle.count)
    return 10 * log10(max(mean, 1e-9) / (10_000 * 10_000 / 2))
  }

  @Test("C-27 however a sound is cut, the result is the same sample by sample", arguments: [64, 441, 1_000, 4_096])
  func pieces(length: Int) {
    for rate in [8_000, 11_025, 44_100, 48_000, 96_000] {
      let sound = tone(440, rate: rate)
      #expect(convert(sound, from: rate, pieces: length) == convert(sound, from: rate))
    }
  }

  @Test(
    "C-27 the length is scaled, rounded up",
    arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 88_200, 96_000, 192_000])
  func length(rate: Int) {
    for count in [0, 1, 7, 441, 4_801] {
      #expect(convert([Float](repeating: 1, count: count), from: rate).count == (count * 16_000 + rate - 1) / rate)
    }
  }

  @Test(
    "C-27 what 16 kHz cannot hold does not fold into speech: less than −70 dB",
    arguments: [22_050, 24_000, 32_000, 44_100, 48_000, 96_000])
  func folding(rate: Int) {
    for frequency in stride(from: 9_000.0, to: Double(rate) / 2 - 200, by: 1_100) {
      let power = decibels(convert(tone(frequency, rate: rate), from: rate))
      #expect(power < -70, "\(frequency) Hz at \(rate) Hz: \(power) dB")
    }
  }

  @Test("C-27 speech keeps its level up to 6.8 kHz", arguments: [16_001, 22_050, 32_000, 44_100, 48_000, 96_000])
  func passband(rate: Int) {
    for frequency in [100.0, 440, 1_000, 3_000, 5_000, 6_000, 6_500, 6_800] {
      let power = decibels(convert(tone(frequency, rate: rate), from: rate))
      #expect(abs(power) < 0.5, "\(frequency) Hz at \(rate) Hz: \(power) dB")
    }
  }

  @Test("C-27 a lower rate gets no mirror images", arguments: [8_000, 11_025, 12_000])
  func images(rate: Int) {
    let frequency = Double(rate) * 0.375
    let output = convert(tone(frequency, rate: rate), from: rate)
    let wanted = tone(frequency, rate: 16_000)
    let rest = zip(output, wanted).map { $0 - $1 }
    #expect(decibels(Array(rest)) < -50)
  }
}
