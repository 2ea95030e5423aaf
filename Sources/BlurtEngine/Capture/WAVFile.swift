/// The sound of a WAV file, brought to what every engine takes: 16 kHz, mono.
///
/// Reads PCM of 16, 24 and 32 bits and 32-bit floating point, at any usual rate, with any number of channels (their mean).
/// A file that was cut short, or whose header was never completed, gives all the samples it has.
public struct WAVFile: Sendable, Hashable {
  /// What the file itself holds.
  public let sampleRate: Int
  public let channelCount: Int
  /// Samples at `SyncSTTLimits.sampleRate`, mono, between −1 and 1.
  public let samples: [Float]

  /// Whether the bytes begin like a WAV file.
  public static func isWAV(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
    bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WAVE".utf8)
  }

  /// Reads a whole file.
  public init(parsing bytes: [UInt8]) throws(WAVError) {
    guard Self.isWAV(bytes) else { throw .notWAV }
    var format: Format?
    var position = 12
    while position + 8 <= bytes.count {
      let size = Int(Self.number(bytes, position + 4, 4))
      let start = position + 8
      let name = bytes[position..<position + 4]
      if name.elementsEqual("fmt ".utf8) {
        format = try Format(bytes, at: start, size: size)
      } else if name.elementsEqual("data".utf8) {
        guard let format else { throw .incomplete }
        // A writer to a pipe cannot fill in the size: it leaves 0 or a huge one, and the samples go on to the end.
        let end = size == 0 ? bytes.count : min(start + size, bytes.count)
        sampleRate = format.sampleRate
        channelCount = format.channelCount
        samples = Resampler.resample(
          format.mono(bytes, start..<end), from: format.sampleRate, to: SyncSTTLimits.sampleRate)
        return
      }
      position = start + size + size % 2
    }
    throw .incomplete
  }

  /// The samples as raw S16LE, as the spool keeps them.
  public var bytes: [UInt8] { Self.bytes(samples) }

  /// Samples of −1 to 1 as raw S16LE; what is beyond is cut off.
  package static func bytes(_ samples: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * 2)
    for sample in samples {
      let value = UInt16(bitPattern: Int16(max(-32_768, min(32_767, (sample * 32_768).rounded()))))
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    return bytes
  }

  /// Length of the sound.
  public var duration: Duration { .seconds(Double(samples.count) / Double(SyncSTTLimits.sampleRate)) }

  /// A little-endian unsigned number of up to four bytes.
  fileprivate static func number(_ bytes: [UInt8], _ position: Int, _ byteCount: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in 0..<byteCount { value |= UInt32(bytes[position + index]) << UInt32(8 * index) }
    return value
  }

  /// The file's `fmt ` chunk.
  private struct Format {
    private enum Encoding { case integer, floatingPoint }

    let sampleRate: Int
    let channelCount: Int
    private let encoding: Encoding
    private let byteCount: Int

    init(_ bytes: [UInt8], at start: Int, size: Int) throws(WAVError) {
      guard size >= 16, start + size <= bytes.count else { throw .incomplete }
      var tag = Int(number(bytes, start, 2))
      let bits = Int(number(bytes, start + 14, 2))
      // The extensible form names the encoding in the first two bytes of its GUID.
      if tag == 0xFFFE, size >= 26 { tag = Int(number(bytes, start + 24, 2)) }
      switch (tag, bits) {
      case (1, 16), (1, 24), (1, 32): encoding = .integer
      case (3, 32): encoding = .floatingPoint
      default: throw .unsupportedEncoding(tag: tag, bits: bits)
      }
      byteCount = bits / 8
      channelCount = Int(number(bytes, start + 2, 2))
      guard (1...32).contains(channelCount) else { throw .unsupportedChannelCount(channelCount) }
      sampleRate = Int(number(bytes, start + 4, 4))
      guard (4_000...192_000).contains(sampleRate) else { throw .unsupportedRate(sampleRate) }
    }

    /// The mean of the channels of every whole frame in that range.
    func mono(_ bytes: [UInt8], _ range: Range<Int>) -> [Float] {
      let frameBytes = byteCount * channelCount
      let frameCount = range.count / frameBytes
      return bytes.withUnsafeBytes { bytes in
        (0..<frameCount).map { frame in
          var sum: Float = 0
          for channel in 0..<channelCount {
            sum += value(bytes, range.lowerBound + frame * frameBytes + channel * byteCount)
          }
          return sum / Float(channelCount)
        }
      }
    }

    private func value(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Float {
      switch (encoding, byteCount) {
      case (.floatingPoint, _):
        let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        let value = Float(bitPattern: bits)
        return value.isFinite ? max(-1, min(1, value)) : 0
      case (.integer, 2):
        return Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int16.self))) / 0x1p15
      case (.integer, 3):
        // Into the upper three bytes, so that the sign comes out right.
        let high = UInt32(bytes[position]) << 8 | UInt32(bytes[position + 1]) << 16 | UInt32(bytes[position + 2]) << 24
        return Float(Int32(bitPattern: high)) / 0x1p31
      case (.integer, _):
        return Float(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int32.self))) / 0x1p31
      }
    }
  }
}
