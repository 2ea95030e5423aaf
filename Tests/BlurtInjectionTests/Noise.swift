/// Bytes that repeat at a prime distance, so that no two pieces of a transfer are alike.
enum Noise {
  static func bytes(_ count: Int, seed: UInt64 = 88_172_645_463_325_252, asText: Bool = false) -> [UInt8] {
    var state = seed | 1
    let block = (0..<4093).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let byte = UInt8(truncatingIfNeeded: state)
      return asText ? byte & 0x3f | 0x40 : byte
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
  }

  static func text(_ count: Int) -> String { String(decoding: bytes(count, asText: true), as: UTF8.self) }
}
