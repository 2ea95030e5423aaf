/// A backing that stores as well. Stores with JSON values write through it (P-06); the others are written by the control
/// that edits them (P-05).
public protocol WritableSettingsBacking: SettingsBacking {
  /// Stores a value under the full key; nil removes it. Any thread. Throws what kept it from being stored; the old value
  /// then stays.
  func store(_ value: SettingValue?, forKey key: String) throws
}
