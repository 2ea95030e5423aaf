/// The form of a setting with one value for each trigger key: an object whose members are evdev codes.
enum TriggerKeyMap {
  /// Told apart by their keys, however those are written.
  static let settingEntries = SettingEntries.members { one, other in
    one == other || TriggerKey(one).map { $0 == TriggerKey(other) } ?? false
  }

  /// The values by key, in the order of the codes. Stored codes that cannot dictate any more are left out (H-54).
  static func entries(
    of value: SettingValue, title: String, from source: SettingSource
  ) throws(SettingRefusal) -> [(key: TriggerKey, value: SettingValue)] {
    guard case .object(let members) = value else {
      throw SettingRefusal("\(title) are an object from keys, such as \"97\" or \"KEY_RIGHTCTRL\", to values")
    }
    var values: [TriggerKey: SettingValue] = [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let key = TriggerKey(name) else {
        if source == .storage { continue }
        throw SettingRefusal(TriggerKey.refusal(of: name) ?? "it is no key that can dictate")
      }
      if values.updateValue(value, forKey: key) != nil, source == .person {
        throw SettingRefusal("\(key.label) stands there twice, as code and as name; write it once")
      }
    }
    return values.sorted { $0.key.code < $1.key.code }.map { ($0.key, $0.value) }
  }

  static func value(of values: [TriggerKey: SettingValue]) -> SettingValue {
    .object(Dictionary(uniqueKeysWithValues: values.map { (String($0.key.code), $0.value) }))
  }
}
