/// Where a value to be read comes from.
enum SettingSource: Sendable, Hashable {
  /// It is stored. What cannot be used is left out, silently.
  case storage
  /// Someone wants it stored. What cannot be used is refused, so that nothing is lost unseen.
  case person
}
