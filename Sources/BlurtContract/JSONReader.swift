/// Why bytes are not a JSON text that the wire accepts.
package enum JSONError: Error, Hashable, Sendable {
  /// Not UTF-8, or not JSON, at this byte.
  case syntax(offset: Int)
  /// An object names a member twice; which one counts would depend on the reader.
  case repeatedKey(String)
  /// Arrays and objects are nested deeper than `SessionContract.deepestNesting`.
  case tooDeep

  /// A phrase for the message to the client.
  package var detail: String {
    switch self {
    case .syntax(let offset): "it is not JSON in UTF-8 at byte \(offset)"
    case .repeatedKey(let key): "the member \"\(key)\" stands in it twice"
    case .tooDeep: "it is nested deeper than \(SessionContract.deepestNesting) levels"
    }
  }
}

/// Reads one JSON text, by the letter of RFC 8259.
///
/// Refused besides what the RFC refuses (trailing comma, comment, leading zero, unescaped control character): a repeated
/// key, a byte-order mark, UTF-16, half a surrogate pair, a number that no Double holds, and deep nesting.
package struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// Text is passed over rather than read: a number may be of any size.
  private var passesOver = false

  /// A member of an object that is read member by member.
  package struct Member: Hashable, Sendable {
    package let key: String
    /// Nil: JSON, but a number that no Double holds, a repeated key further in, or nested too deep.
    package let value: JSONValue?
    /// What it was read from.
    package let text: [UInt8]
  }

  /// Reads the whole of the bytes as one value, with white space allowed around it.
  package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try reading(bytes) { reader throws(JSONError) in try reader.readValue(depth: 0) }
  }

  /// Reads the whole of the bytes as one object, member by member in their order: a value that cannot be held takes
  /// nothing from the others, and a key may stand there twice. Nil where the bytes are another value.
  package static func readMembers(_ bytes: [UInt8]) throws(JSONError) -> [Member]? {
    try reading(bytes) { reader throws(JSONError) in
      reader.skipSpace()
      if reader.next == UInt8(ascii: "{") { return try reader.readMembers() }
      try reader.passOver()
      return nil
    }
  }

  private static func reading<Value>(
    _ bytes: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    // Through Result, since withUnsafeBufferPointer cannot pass a typed error on.
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<Value, JSONError> in
      var reader = JSONReader(bytes: buffer)
      do throws(JSONError) {
        let value = try body(&reader)
        reader.skipSpace()
        guard reader.position == buffer.count else { throw .syntax(offset: reader.position) }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func readValue(depth: Int) throws(JSONError) -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try readObject(depth: depth + 1)
    case UInt8(ascii: "["): return try readArray(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: return try readNumber()
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count else { throw .syntax(offset: position) }
    for index in 0..<count where bytes[position + index] != word.utf8Start[index] {
      throw .syntax(offset: position + index)
    }
    position += count
    return value
  }

  private mutating func readObject(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= SessionContract.deepestNesting else { throw .tooDeep }
    position += 1
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([:]) }
    var members: [JSONObject.Member] = []
    members.reserveCapacity(8)
    while true {
      let key = try readKey()
      let value = try readValue(depth: depth)
      members.append(JSONObject.Member(key: key, value: value))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(try JSONObject(reading: members)) }
      guard take(UInt8(ascii: ",")) else { throw .syntax(offset: position) }
    }
  }

  /// Reads the object that begins here, which is the outermost.
  private mutating func readMembers() throws(JSONError) -> [Member] {
    position += 1
    skipSpace()
    var members: [Member] = []
    if take(UInt8(ascii: "}")) { return members }
    while true {
      let key = try readKey()
      skipSpace()
      let start = position
      var value: JSONValue?
      do throws(JSONError) {
        value = try readValue(depth: 1)
      } catch {
        // Passed over, it is found to be JSON, or the fault is thrown again.
        position = start
        try passOver()
      }
      members.append(Member(key: key, value: value, text: Array(bytes[start..<position])))
      skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else { throw .syntax(offset: position) }
    }
  }

  /// A member's key and the colon.
  private mutating func readKey() throws(JSONError) -> String {
    skipSpace()
    guard next == UInt8(ascii: "\"") else { throw .syntax(offset: position) }
    let key = try readString()
    skipSpace()
    guard take(UInt8(ascii: ":")) else { throw .syntax(offset: position) }
    return key
  }

  /// Passes over one value, however deep it is, without recursion.
  private mutating func passOver() throws(JSONError) {
    passesOver = true
    defer { passesOver = false }
    /// What closes the arrays and objects that are open.
    var closings: [UInt8] = []
    while true {
      skipSpace()
      if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
        let closing = next == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        closings.append(closing)
        skipSpace()
        if next != closing {
          if closing == UInt8(ascii: "}") { _ = try readKey() }
          continue
        }
      } else {
        _ = try readValue(depth: 0)
      }
      // The space after the whole value is not its own.
      if !closings.isEmpty { skipSpace() }
      while let closing = closings.last, take(closing) {
        closings.removeLast()
        if !closings.isEmpty { skipSpace() }
      }
      guard let closing = closings.last else { return }
      guard take(UInt8(ascii: ",")) else { throw .syntax(offset: position) }
      if closing == UInt8(ascii: "}") { _ = try readKey() }
    }
  }

  private mutating func readArray(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= SessionContract.deepestNesting else { throw .tooDeep }
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try readValue(depth: depth))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { throw .syntax(offset: position) }
    }
  }

  private mutating func readString() throws(JSONError) -> String {
    position += 1
    let start = position
    var union: UInt8 = 0
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      union |= byte
      position += 1
    }
    if take(UInt8(ascii: "\"")) {
      let text = UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
      // ASCII needs no second look, which takes longer than all the rest of a command.
      return union < 0x80 ? String(decoding: text, as: UTF8.self) : try self.text(text, at: start)
    }
    var unescaped = Array(bytes[start..<position])
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(unescaped, at: start)
      case UInt8(ascii: "\\"): try readEscape(into: &unescaped)
      case 0..<0x20: throw .syntax(offset: position - 1)
      default: unescaped.append(byte)
      }
    }
    throw .syntax(offset: position)
  }

  private func text(_ bytes: some Sequence<UInt8>, at offset: Int) throws(JSONError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .syntax(offset: offset) }
    return text
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = next else { throw .syntax(offset: position) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let start = position - 2
      var value = try readHex()
      if (0xD800..<0xDC00).contains(value) {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .syntax(offset: start) }
        let low = try readHex()
        guard (0xDC00..<0xE000).contains(low) else { throw .syntax(offset: start) }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw .syntax(offset: start) }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw .syntax(offset: position - 1)
    }
  }

  private mutating func readHex() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .syntax(offset: position)
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  private mutating func readNumber() throws(JSONError) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try readDigits() }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      try readDigits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try readDigits()
    }
    let digits = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    if isInteger, let value = Int64(digits) { return .integer(value) }
    if passesOver { return .null }
    guard let value = Double(digits), value.isFinite else { throw .syntax(offset: start) }
    return .double(value)
  }

  private mutating func readDigits() throws(JSONError) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw .syntax(offset: position) }
  }
}
