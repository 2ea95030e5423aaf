/// Where stored values come from (P-04). Reads are live: the next press sees an edit.
public protocol SettingsBacking: Sendable {
  /// The stored value under the full key, or nil where none is stored. Any thread; quick.
  func value(forKey key: String) -> SettingValue?

  /// Whether there are stored values that nobody can read now. What must not be got wrong then counts at its safest.
  var isUnreadable: Bool { get }
}

extension SettingsBacking {
  public var isUnreadable: Bool { false }
}
