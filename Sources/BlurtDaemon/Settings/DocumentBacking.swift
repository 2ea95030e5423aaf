internal import BlurtEngine

/// One content of the settings file, for stores that are to read it and no newer one.
struct DocumentBacking: SettingsBacking {
  let document: SettingsDocument

  func value(forKey key: String) -> SettingValue? { document[key].flatMap { SettingValue($0) } }
}
