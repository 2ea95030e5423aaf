/// How a sound device stores one sample, little-endian.
package enum SampleFormat: String, Sendable, Hashable, CaseIterable {
  case s16
  /// 24 bits in the lower part of 32.
  case s24
  /// 24 bits in three bytes.
  case s24Packed
  case s32
  /// Floating point of 32 bits, −1…1.
  case float

  /// Bytes of one sample.
  package var byteCount: Int {
    switch self {
    case .s16: 2
    case .s24Packed: 3
    case .s24, .s32, .float: 4
    }
  }

  /// Appends the samples of whole frames, in units of a 16-bit sample, so that −32,768…32,768 is full scale.
  package func decode(_ bytes: UnsafeRawBufferPointer, into samples: inout [Float]) {
    let count = bytes.count / byteCount
    samples.reserveCapacity(samples.count + count)
    switch self {
    case .s16:
      for index in 0..<count {
        samples.append(Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))))
      }
    case .s24:
      for index in 0..<count {
        // The upper byte says nothing that can be relied on: it is shifted out.
        samples.append(Float(Self.word(bytes, 4 * index) << 8) / 0x1p16)
      }
    case .s24Packed:
      for index in 0..<count {
        let high = Int32(Int8(bitPattern: bytes[3 * index + 2])) << 16
        samples.append(Float(high | Int32(bytes[3 * index + 1]) << 8 | Int32(bytes[3 * index])) / 0x1p8)
      }
    case .s32:
      for index in 0..<count { samples.append(Float(Self.word(bytes, 4 * index)) / 0x1p16) }
    case .float:
      for index in 0..<count {
        let value = Float(bitPattern: UInt32(bitPattern: Self.word(bytes, 4 * index))) * 0x1p15
        samples.append(value.isFinite ? max(-0x1p15, min(0x1p15, value)) : 0)
      }
    }
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int32 {
    Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
  }
}
