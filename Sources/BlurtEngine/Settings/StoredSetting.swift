/// One setting over its backing, read by the table (P-03, P-04). What every store is made of.
///
/// The table normalises to the type of its row, so a reader of another type than the row's gets the empty value.
struct StoredSetting: Sendable {
  let key: SettingsKey
  let backing: any SettingsBacking
  let prefix: String

  init(_ key: SettingsKey, _ backing: any SettingsBacking, _ prefix: String) {
    self.key = key
    self.backing = backing
    self.prefix = prefix
  }

  /// The value in force, or nil where there is none.
  var value: SettingValue? { SettingsCatalogue.row(key).read(backing.value(forKey: key.name(prefix: prefix))).value }

  var bool: Bool { value == .bool(true) }

  var number: Double {
    if case .number(let number) = value { return number }
    return 0
  }

  /// The text in force; nil where it is blank or there is none (P-29).
  var text: String? {
    if case .string(let text) = value { return text.trimmedNonEmpty }
    return nil
  }
}
