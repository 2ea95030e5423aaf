internal import CEvdev

/// One bit for each EV_KEY code, laid out as the kernel's ioctls want it.
package struct KeyBits: Sendable, Hashable {
  /// Number of EV_KEY codes.
  package static let count = Int(KEY_MAX) + 1

  /// Least significant bit of the first byte is code 0.
  package private(set) var bytes = [UInt8](repeating: 0, count: Self.count / 8)

  package init() {}

  package init(_ codes: some Sequence<Int>) {
    for code in codes { insert(code) }
  }

  /// Reads the text that sysfs has in `capabilities/key`: words in hex, the most significant first.
  ///
  /// nil where the text is something else. `wordBits` is the width of the kernel's `long`.
  package init?(sysfs text: some StringProtocol, wordBits: Int = Int.bitWidth) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    for (index, text) in words.reversed().enumerated() {
      guard let word = UInt64(text, radix: 16) else { return nil }
      for bit in 0..<wordBits where word & (1 << UInt64(bit)) != 0 { insert(index * wordBits + bit) }
    }
  }

  /// Codes that the kernel does not have are left out.
  package mutating func insert(_ code: Int) {
    guard (0..<Self.count).contains(code) else { return }
    bytes[code / 8] |= 1 << UInt8(code % 8)
  }

  package func contains(_ code: Int) -> Bool {
    (0..<Self.count).contains(code) && bytes[code / 8] & 1 << UInt8(code % 8) != 0
  }

  /// Lets a C function fill the bits.
  package mutating func withBytes<Result>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0) }
  }
}
