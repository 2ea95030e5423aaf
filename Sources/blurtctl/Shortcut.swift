internal import BlurtContract

/// One shortcut, as it stands in the setting.
struct Shortcut: Hashable {
  var trigger: String
  /// Literal: blanks and line breaks belong to it.
  var expansion: String

  init(trigger: String, expansion: String) {
    self.trigger = Trimming.trimmed(trigger)
    self.expansion = expansion
  }

  /// Nil for what is no shortcut.
  init?(_ value: JSONValue) {
    guard let members = value.object, let trigger = members["trigger"]?.string,
      let expansion = members["expansion"]?.string
    else { return nil }
    self.init(trigger: trigger, expansion: expansion)
  }

  var json: JSONValue { .object(["trigger": .string(trigger), "expansion": .string(expansion)]) }

  /// What tells this trigger from others: its words of letters and digits, in one case (P-40). Empty where it has none.
  ///
  /// There and back again, since some letters have several small forms, or a capital form of two letters.
  var matchKey: [String] {
    trigger.split { !($0.isLetter || $0.isNumber) }.map { $0.lowercased().uppercased().lowercased() }
  }
}
