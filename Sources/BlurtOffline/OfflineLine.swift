internal import FoundationEssentials

/// The one encoder and decoder of the lines between the daemon and the engine's process.
package enum OfflineLine {
  /// The longest line either side takes: 20 minutes of speech are about 20 kB of text.
  package static let longest = 1 << 20

  /// The value as one line, newline included.
  package static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The types of the protocol hold strings and finite numbers only.
    guard let data = try? encoder.encode(value) else { return Array("{}\n".utf8) }
    return Array(data) + [UInt8(ascii: "\n")]
  }

  /// The value of one line without its newline; nil where it is none.
  package static func decode<Value: Decodable>(_ type: Value.Type, from line: some Collection<UInt8>) -> Value? {
    try? JSONDecoder().decode(type, from: Data(line))
  }
}
