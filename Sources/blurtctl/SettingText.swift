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

  /// What stands for no value: unset, an empty text and an empty list alike.
  static let none = "(not set)"

  /// The value in a table.
  static func shown(_ value: JSONValue, unit: String?) -> String {
    switch value {
    case .null, "", .array([]), .object([:]): none
    case .bool(let isOn): isOn ? "on" : "off"
    case .array(let values) where values.contains { $0.object != nil }:
      "\(values.count) \(values.count == 1 ? "entry" : "entries")"
    case .string(let text): text
    case .integer, .double: bare(value) + (unit.map { " \($0)" } ?? "")
    case .array, .object: bare(value)
    }
  }

  /// The name as a table shows it: without the prefix, which no command needs.
  static func shortName(_ setting: String) -> String {
    setting.hasPrefix("Blurt") ? String(setting.dropFirst("Blurt".count)) : setting
  }

  /// What a setting takes, after the word "takes".
  static func taken(_ entry: SettingEntry) -> String {
    if let choices = entry.choices, !choices.isEmpty { return Invocation.list(choices) }
    switch entry.type {
    case "bool": return "on or off"
    case "number":
      let unit = entry.unit.map { " \($0)" } ?? ""
      switch (entry.minimum, entry.maximum) {
      case (let low?, let high?): return "a number from \(number(low)) to \(number(high))" + unit
      case (let low?, nil): return "a number from \(number(low))" + unit
      case (nil, let high?): return "a number up to \(number(high))" + unit
      case (nil, nil): return "a number" + (unit.isEmpty ? "" : " of" + unit)
      }
    case "list": return "a list in JSON, such as [\"one\",\"two\"]"
    case "object": return "an object in JSON, such as {\"name\":\"value\"}"
    default: return "a text"
    }
  }

  /// A setting for a person: its value first, then what it means and takes.
  static func described(_ entry: SettingEntry, width: Int) -> String {
    let value = bare(entry.value)
    let lines = [
      value.isEmpty ? none : value, TerminalText.hanging("", entry.summary, width: width),
      TerminalText.hanging("Takes:   ", taken(entry), width: width),
      TerminalText.hanging("Default: ", shown(entry.defaultValue, unit: entry.unit), width: width),
    ]
    return lines.joined(separator: "\n")
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
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
