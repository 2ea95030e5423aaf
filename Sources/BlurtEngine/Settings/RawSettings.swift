/// A backing and the prefix of its keys: what each store with JSON values stands on (P-06).
struct RawSettings: Sendable {
  let backing: any SettingsBacking
  let prefix: String

  subscript(key: SettingsKey) -> SettingValue? { backing.value(forKey: key.name(prefix: prefix)) }

  /// The text under that key; nil where there is none, or a value of another type (P-07).
  func string(_ key: SettingsKey) -> String? {
    guard case .string(let text)? = self[key] else { return nil }
    return text
  }

  /// The finite number under that key; nil where there is none, or a value of another type (P-07).
  func number(_ key: SettingsKey) -> Double? {
    guard case .number(let number)? = self[key], number.isFinite else { return nil }
    return number
  }

  /// Stores a value; nil removes it. Throws what the backing throws, or a `SettingRefusal` where it cannot be written.
  func store(_ value: SettingValue?, for key: SettingsKey) throws {
    guard let writable = backing as? any WritableSettingsBacking else {
      throw SettingRefusal("the settings of this program can be read only; change them where they are kept")
    }
    try writable.store(value, forKey: key.name(prefix: prefix))
  }
}
