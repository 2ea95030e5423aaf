import BlurtEngine
import Testing

@Suite struct CaptureConverterTests {
  private func bytes(_ value: Int32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> Int32(8 * $0)) }
  }

  private func decode(_ format: SampleFormat, _ bytes: [UInt8]) -> [Float] {
    var samples: [Float] = []
    bytes.withUnsafeBytes { format.decode($0, into: &samples) }
    return samples
  }

  @Test("C-27 every format gives the same values, at both ends of its range")
  func formats() {
    let values: [Int32] = [0, 1, -1, 16_384, -16_384, 32_767, -32_768]
    let wanted = values.map(Float.init)
    #expect(decode(.s16, values.flatMap { bytes($0, 2) }) == wanted)
    #expect(decode(.s24Packed, values.flatMap { bytes($0 << 8, 3) }) == wanted)
    #expect(decode(.s32, values.flatMap { bytes($0 << 16, 4) }) == wanted)
    #expect(decode(.float, wanted.flatMap { bytes(Int32(bitPattern: ($0 / 32_768).bitPattern), 4) }) == wanted)
    #expect(decode(.s24, values.flatMap { bytes($0 << 8, 4) }) == wanted)
    // Drivers leave anything in the fourth byte.
    #expect(decode(.s24, values.flatMap { bytes($0 << 8, 3) + [0x5A] }) == wanted)
  }

  @Test("C-27 a float device that delivers no number, or too large a one, is heard as silence or full scale")
  func unusableFloats() {
    let values: [Float] = [.nan, .infinity, 7, -7]
    #expect(decode(.float, values.flatMap { bytes(Int32(bitPattern: $0.bitPattern), 4) }) == [0, 0, 32_768, -32_768])
  }

  @Test("C-27 what needs no conversion comes through bit for bit")
  func identity() {
    let values = (-400..<400).map { Int16($0 * 80) }
    var converter = CaptureConverter(from: .wanted)
    var output: [Int16] = []
    values.withUnsafeBytes { converter.load($0) }
    converter.convert(into: &output)
    #expect(output == values)
    converter.finish(into: &output)
    #expect(output == [])
  }

  @Test("C-13 C-15 noise that 16 bits cannot hold is still a sign of life")
  func quieterThanSixteenBits() {
    let format = StreamFormat(sample: .s24, rate: 48_000, channelCount: 2)
    var converter = CaptureConverter(from: format)
    var liveness = MicLiveness(cap: .milliseconds(300))
    // ±32 of 2²³ on the second channel: −108 dBFS, an eighth of a 16-bit step.
    let frames = (0..<960).flatMap { bytes(0, 4) + bytes($0.isMultiple(of: 2) ? 32 : -32, 4) }
    frames.withUnsafeBytes { converter.load($0) }
    converter.loaded.withUnsafeBufferPointer { liveness.hear($0, of: format) }
    #expect(liveness.isLive)
    #expect(abs(liveness.powerDB + 108.4) < 0.2)
  }

  @Test("C-26 the shortest look is 20 ms at every rate")
  func shortestLook() {
    let format = StreamFormat(sample: .s16, rate: 96_000, channelCount: 1)
    var liveness = MicLiveness(cap: .milliseconds(300))
    let stray = (0..<1_000).map { Float($0 == 0 ? 1 : 0) }
    stray.withUnsafeBufferPointer { liveness.hear($0, of: format) }
    #expect(!liveness.isLive)
  }
}
