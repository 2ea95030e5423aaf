internal import BlurtContract

/// The content of the settings file: one flat object. A member that is not changed keeps its own text to the byte, so
/// that nothing of a newer version's is lost (P-07, P-08).
struct SettingsDocument: Sendable, Hashable {
  /// Why bytes are no settings.
  enum Fault: Error, Sendable, Hashable {
    /// With what is wrong with them.
    case notJSON(String)
    case notAnObject
  }

  private struct Member: Sendable, Hashable {
    let value: JSONValue
    let text: [UInt8]
  }

  private var members: [String: Member] = [:]

  init() {}

  /// Reads bytes. Nothing at all, or white space, is no setting and no fault: so an empty file begins. A byte-order mark is
  /// skipped: some editors write one.
  init(_ bytes: [UInt8]) throws(Fault) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
    guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
    do throws(JSONError) {
      guard let members = try JSONReader.readMembers(bytes) else { throw JSONError.syntax(offset: -1) }
      self.members = members.mapValues { Member(value: $0.value, text: $0.text) }
    } catch {
      if case .syntax(offset: -1) = error { throw .notAnObject }
      throw .notJSON(error.detail)
    }
  }

  /// The value under a key; `null` counts as none when it is read.
  subscript(key: String) -> JSONValue? {
    get { members[key]?.value }
    set { members[key] = newValue.map { Member(value: $0, text: Self.text($0, level: 1)) } }
  }

  /// The whole file: keys sorted, one member on each line, two spaces in front.
  var bytes: [UInt8] {
    guard !members.isEmpty else { return Array("{}\n".utf8) }
    let lines = members.sorted { $0.key < $1.key }.map { key, member in
      Array("  ".utf8) + JSONValue.string(key).line + Array(": ".utf8) + member.text
    }
    return Array("{\n".utf8) + lines.joined(separator: Array(",\n".utf8)) + Array("\n}\n".utf8)
  }

  /// A value as people like to read it, beginning in a line of that level.
  private static func text(_ value: JSONValue, level: Int) -> [UInt8] {
    func lines(_ open: String, _ lines: [[UInt8]], _ close: String) -> [UInt8] {
      let indent = Array(repeating: UInt8(ascii: " "), count: 2 * level)
      let inner = Array("\n  ".utf8) + indent
      var text = Array(open.utf8)
      for (index, line) in lines.enumerated() { text += (index == 0 ? inner : Array(",".utf8) + inner) + line }
      return text + Array("\n".utf8) + indent + Array(close.utf8)
    }
    switch value {
    case .array(let values) where !values.isEmpty:
      return lines("[", values.map { text($0, level: level + 1) }, "]")
    case .object(let object) where !object.members.isEmpty:
      return lines(
        "{",
        object.members.map { JSONValue.string($0.key).line + Array(": ".utf8) + text($0.value, level: level + 1) }, "}")
    case .null, .bool, .integer, .double, .string, .array, .object: return value.line
    }
  }
}
