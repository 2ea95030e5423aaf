internal import BlurtContract

/// The content of the settings file: one flat object. A member that is not changed keeps its own text to the byte, so
/// that nothing of a newer version's is lost (P-07, P-08).
struct SettingsDocument: Sendable {
  /// Why bytes are no settings.
  enum Fault: Error, Sendable, Hashable {
    /// With what is wrong with them.
    case notJSON(String)
    case notAnObject
  }

  private struct Member: Sendable {
    let value: JSONValue
    /// What it was read from; one text for each time that it stands in the file.
    var texts: [[UInt8]]
  }

  /// Stands for a value that is JSON and more than this program holds: a number out of range, say, or one nested too deep.
  /// No setting takes it.
  static let unusable: JSONValue = .double(.nan)

  private var members: [String: Member] = [:]

  init() {}

  /// Reads bytes. Nothing at all, or white space, is no setting and no fault: so an empty file begins. A byte-order mark is
  /// skipped: some editors write one.
  init(_ bytes: [UInt8]) throws(Fault) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
    guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
    do throws(JSONError) {
      guard let members = try JSONReader.readMembers(bytes) else { throw JSONError.syntax(offset: -1) }
      for member in members {
        let earlier = self.members[member.key]?.texts ?? []
        self.members[member.key] = Member(value: member.value ?? Self.unusable, texts: earlier + [member.text])
      }
    } catch {
      if case .syntax(offset: -1) = error { throw .notAnObject }
      throw .notJSON(error.detail)
    }
  }

  /// All keys, sorted.
  var keys: [String] { members.keys.sorted() }

  /// Whether a key stands in the file more than once.
  func isRepeated(_ key: String) -> Bool { members[key].map { $0.texts.count > 1 } ?? false }

  /// The value under a key, the last one where it is repeated; `null` counts as none when it is read.
  subscript(key: String) -> JSONValue? {
    get { members[key]?.value }
    set { members[key] = newValue.map { Member(value: $0, texts: [Self.text($0, level: 1)]) } }
  }

  /// The whole file: keys sorted, one member on each line, two spaces in front.
  var bytes: [UInt8] {
    guard !members.isEmpty else { return Array("{}\n".utf8) }
    let lines = members.sorted { $0.key < $1.key }.flatMap { key, member in
      member.texts.map { Array("  ".utf8) + JSONValue.string(key).line + Array(": ".utf8) + $0 }
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

// By the texts, which say it all: the value that is unusable does not equal itself.
extension SettingsDocument: Hashable {
  static func == (one: Self, other: Self) -> Bool { one.members.mapValues(\.texts) == other.members.mapValues(\.texts) }

  func hash(into hasher: inout Hasher) { hasher.combine(members.mapValues(\.texts)) }
}
