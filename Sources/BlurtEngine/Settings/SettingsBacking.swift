/// Where stored values come from (P-04). Reads are live: the next press sees an edit.
public protocol SettingsBacking: Sendable {
  /// The stored value under the full key, or nil where none is stored. Any thread; quick.
  func value(forKey key: String) -> SettingValue?
}
