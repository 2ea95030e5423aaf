internal import BlurtContract

/// Settings' values in the words of a command line.
enum SettingText {
  /// The value as `get` prints it: a text bare, everything else as JSON, nothing for none.
  static func bare(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .bool, .integer, .double, .array, .object: String(decoding: value.line, as: UTF8.self)
    }
  }

  /// The value in a table.
  static func shown(_ value: JSONValue, unit: String?) -> String {
    switch value {
    case .null: "-"
    case .bool(let isOn): isOn ? "on" : "off"
    case .array(let values) where values.contains { $0.object != nil }:
      "\(values.count) \(values.count == 1 ? "entry" : "entries")"
    case .string(let text): text.isEmpty ? "\"\"" : text
    case .integer, .double: bare(value) + (unit.map { " \($0)" } ?? "")
    case .array, .object: bare(value)
    }
  }

  /// What a word of the command line means for a setting of that type; nil where it means nothing.
  ///
  /// JSON is taken everywhere, so that a text may stand in quotes. A word that is no number is passed on for a setting of
  /// numbers: the trigger key has a name too, and the daemon knows what it takes.
  static func value(_ word: String, type: String) -> JSONValue? {
    let json = try? JSONReader.read(Array(word.utf8))
    switch type {
    case "bool":
      switch word.lowercased() {
      case "true", "yes", "on", "1": return true
      case "false", "no", "off", "0": return false
      default: return nil
      }
    case "number":
      switch json {
      case .integer?, .double?: return json
      case .string?, .bool?, .null?, .array?, .object?, nil: return .string(json?.string ?? word)
      }
    case "string": return .string(json?.string ?? word)
    case "list":
      guard case .array? = json else { return nil }
      return json
    case "object":
      guard case .object? = json else { return nil }
      return json
    // A type that only a newer daemon knows.
    default: return json ?? .string(word)
    }
  }
}
