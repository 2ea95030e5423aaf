import BlurtEngine
import Testing

@Suite("WAVFile")
struct WAVFileTests {
  /// A file with one `fmt ` and one `data` chunk; `size` overrides what the header says about the samples.
  private func file(
    tag: Int = 1, channels: Int = 1, rate: Int = 16_000, bits: Int = 16, data: [UInt8], size: Int? = nil,
    before: [UInt8] = []
  ) -> [UInt8] {
    func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
      (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let blockAlign = channels * bits / 8
    var format = number(tag, 2) + number(channels, 2) + number(rate, 4) + number(rate * blockAlign, 4)
    format += number(blockAlign, 2) + number(bits, 2)
    let formatChunk: [UInt8] = Array("fmt ".utf8) + number(format.count, 4) + format
    let dataChunk: [UInt8] = Array("data".utf8) + number(size ?? data.count, 4) + data
    let body: [UInt8] = Array("WAVE".utf8) + before + formatChunk + dataChunk
    return Array("RIFF".utf8) + number(body.count, 4) + body
  }

  private func bytes16(_ values: [Int16]) -> [UInt8] {
    values.flatMap { value in [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
  }

  @Test("16-bit mono at 16 kHz comes through byte for byte")
  func identity() throws {
    let data = bytes16([0, 1, -1, 12_345, -32_768, 32_767])
    let wav = try WAVFile(parsing: file(data: data))
    #expect(wav.bytes == data)
    #expect(wav.sampleRate == 16_000)
    #expect(wav.channelCount == 1)
    #expect(wav.duration == .seconds(6.0 / 16_000))
  }

  @Test("24 and 32 bits and floating point give the same values")
  func encodings() throws {
    let half: [Float] = [0.5, -0.5]
    #expect(try WAVFile(parsing: file(bits: 24, data: [0, 0, 0x40, 0, 0, 0xC0])).samples == half)
    #expect(try WAVFile(parsing: file(bits: 32, data: [0, 0, 0, 0x40, 0, 0, 0, 0xC0])).samples == half)
    let floats = [Float(0.5), -0.5, .nan, 7].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
    }
    #expect(try WAVFile(parsing: file(tag: 3, bits: 32, data: floats)).samples == [0.5, -0.5, 0, 1])
  }

  @Test("B-103 channels are averaged, so that one dead channel does not lose the speech")
  func channels() throws {
    let wav = try WAVFile(parsing: file(channels: 2, data: bytes16([16_384, 0, -16_384, 0])))
    #expect(wav.samples == [0.25, -0.25])
  }

  @Test("the extensible form, unknown chunks and odd chunk sizes are read")
  func chunks() throws {
    let odd: [UInt8] = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    #expect(try WAVFile(parsing: file(data: bytes16([8_192]), before: odd)).samples == [0.25])
    var extensible = file(data: [])
    // Rebuilt by hand: 40 bytes of format, tag 0xFFFE, the encoding in the first bytes of the GUID.
    extensible[16] = 40
    extensible[20] = 0xFE
    extensible[21] = 0xFF
    extensible.insert(contentsOf: [22, 0, 16, 0, 4, 0, 0, 0, 1, 0] + [UInt8](repeating: 9, count: 14), at: 36)
    extensible += bytes16([8_192])
    #expect(try WAVFile(parsing: extensible).samples == [0.25])
  }

  @Test("a file that was cut short or never closed gives what it has", arguments: [0, 4_000, 0xFFFF_FFFF])
  func unfinished(size: Int) throws {
    let wav = try WAVFile(parsing: file(data: bytes16([1, 2, 3]) + [9], size: size))
    #expect(wav.bytes == bytes16([1, 2, 3]))
  }

  @Test("what is not supported is refused with a sentence that says what to do")
  func refused() {
    func error(_ bytes: [UInt8]) -> WAVError? {
      do {
        _ = try WAVFile(parsing: bytes)
        return nil
      } catch {
        return error
      }
    }
    #expect(error([]) == .notWAV)
    #expect(error(Array("RIFF1234AVI ".utf8)) == .notWAV)
    #expect(error(Array("RIFF1234WAVE".utf8)) == .incomplete)
    #expect(error(Array("RIFF1234WAVEfmt ".utf8) + [0xFF, 0xFF, 0xFF, 0x7F]) == .incomplete)
    #expect(error(Array("RIFF1234WAVEdata".utf8) + [2, 0, 0, 0, 1, 1]) == .incomplete)
    #expect(error(file(tag: 6, bits: 8, data: [])) == .unsupportedEncoding(tag: 6, bits: 8))
    #expect(error(file(channels: 0, data: [])) == .unsupportedChannelCount(0))
    #expect(error(file(rate: 0, data: [])) == .unsupportedRate(0))
    #expect(WAVError.notWAV.description.contains("sox"))
  }

  @Test("no bytes, however wrong, end the process")
  func fuzz() {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let good = file(channels: 2, data: bytes16([1, 2, 3, 4]))
    for _ in 0..<5_000 {
      var bytes = good
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let position = 12 + Int(state >> 33) % (bytes.count - 12)
        // The sample rate stays: building filters is slow without optimisation.
        if !(24..<28).contains(position) { bytes[position] = UInt8(truncatingIfNeeded: state >> 20) }
      }
      _ = try? WAVFile(parsing: Array(bytes.prefix(12 + Int(state >> 40) % (bytes.count - 12))))
      _ = try? WAVFile(parsing: bytes)
    }
  }

  /// A tone's samples in 16 bits.
  private func tone(_ frequency: Double, rate: Int, seconds: Double) -> [UInt8] {
    // Sine by rotation: this needs no C library.
    let step = 2 * Double.pi * frequency / Double(rate)
    var (sine, cosine) = (0.0, 1.0)
    // Small-angle start, then exact rotations of it.
    var (stepSine, stepCosine) = (step / 1_024, 1 - step * step / (2 * 1_024 * 1_024))
    for _ in 0..<10 { (stepSine, stepCosine) = (2 * stepSine * stepCosine, 1 - 2 * stepSine * stepSine) }
    let values = (0..<Int(Double(rate) * seconds)).map { _ -> Int16 in
      defer { (sine, cosine) = (sine * stepCosine + cosine * stepSine, cosine * stepCosine - sine * stepSine) }
      return Int16((sine * 16_000).rounded())
    }
    return bytes16(values)
  }

  /// Mean power in the middle of the clip, as a part of a full 16,000-high tone's.
  private func power(_ samples: [Float]) -> Float {
    let middle = samples[samples.count / 4..<samples.count * 3 / 4]
    let mean = middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)
    let full: Float = 16_000.0 / 32_768.0
    return mean / (full * full / 2)
  }

  @Test("B-102 other rates keep pitch, level and length", arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 44_101])
  func resampling(rate: Int) throws {
    let wav = try WAVFile(parsing: file(rate: rate, data: tone(1_000, rate: rate, seconds: 0.5)))
    #expect(abs(wav.samples.count - 8_000) <= 1)
    #expect(abs(power(wav.samples) - 1) < 0.02)
    // 1,000 Hz crosses zero upwards once in 16 samples.
    let crossings = zip(wav.samples, wav.samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect((498...501).contains(crossings))
  }

  @Test("B-102 what lies over the new rate's half does not fold into speech")
  func folding() throws {
    let wav = try WAVFile(parsing: file(rate: 48_000, data: tone(12_000, rate: 48_000, seconds: 0.5)))
    // Under −50 dB.
    #expect(power(wav.samples) < 1e-5)
  }

  @Test("a header of ours before raw samples reads back as the same samples")
  func header() throws {
    let samples: [UInt8] = [0, 0, 0xFF, 0x7F, 0, 0x80, 1, 0]
    let header = WAVHeader.make(sampleByteCount: samples.count)
    #expect(header.count == WAVHeader.byteCount)
    let file = try WAVFile(parsing: header + samples)
    #expect(file.sampleRate == 16_000 && file.channelCount == 1 && file.bytes == samples)
  }
}
