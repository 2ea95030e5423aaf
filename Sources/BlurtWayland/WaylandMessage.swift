/// One message of the Wayland protocol: an object, the number of its event or request, and the arguments.
struct WaylandMessage: Sendable, Hashable {
  let object: UInt32
  let opcode: UInt32
  let body: [UInt8]

  static let headerSize = 8

  /// The bytes of a request. Words are in the byte order of the machine.
  static func request(_ object: UInt32, _ opcode: UInt32, _ arguments: [UInt8]) -> [UInt8] {
    word(object) + word(UInt32(headerSize + arguments.count) << 16 | opcode) + arguments
  }

  static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value, Array.init) }

  /// A string as an argument: its length with the terminator, then itself, filled up to whole words.
  static func string(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return word(UInt32(count + 1)) + Array(text.utf8) + [UInt8](repeating: 0, count: 4 - count % 4)
  }

  /// The messages before the event of `callback`, and how many bytes those and that one are; nil while it has not come, or
  /// for bytes that no compositor sends.
  static func list(_ bytes: [UInt8], before callback: UInt32) -> (messages: [WaylandMessage], size: Int)? {
    var messages: [WaylandMessage] = []
    var offset = 0
    while offset + headerSize <= bytes.count {
      let object = word(bytes, at: offset)
      let head = word(bytes, at: offset + 4)
      let size = Int(head >> 16)
      guard size >= headerSize, offset + size <= bytes.count else { return nil }
      if object == callback { return (messages, offset + size) }
      messages.append(
        WaylandMessage(object: object, opcode: head & 0xffff, body: Array(bytes[offset + headerSize..<offset + size])))
      offset += size
    }
    return nil
  }

  /// The argument at a byte of the body; nil where there is none.
  func word(_ offset: Int) -> UInt32? {
    offset + 4 <= body.count ? Self.word(body, at: offset) : nil
  }

  /// The string that begins at a byte of the body, and where the next argument is; nil where there is none.
  func string(_ offset: Int) -> (text: String, end: Int)? {
    guard let length = word(offset).map({ Int($0) }), length > 0, offset + 4 + length <= body.count else { return nil }
    let text = String(decoding: body[offset + 4..<offset + 4 + length - 1], as: UTF8.self)
    return (text, offset + 4 + (length + 3) / 4 * 4)
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }
}
