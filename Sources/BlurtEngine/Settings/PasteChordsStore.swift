/// The user's own rules for pasting: a window class, or the beginning of one and `*`, to keys or `never`. Unset: none.
public struct PasteChordsStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.pasteChords, backing, prefix)
  }

  /// Window class to keys, for `WindowClassRules`.
  public var current: [String: String] {
    guard case .object(let members) = setting.value else { return [:] }
    return members.compactMapValues { if case .string(let chord) = $0 { chord } else { nil } }
  }

  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .object(let members) = value else { return SettingDescription.of(.object, value) }
    for (windowClass, chord) in members.sorted(by: { $0.key < $1.key }) where !isUsable(windowClass, chord) {
      return .failure(
        SettingRefusal(
          "for the windows \"\(windowClass.prefix(maxUTF8Bytes: 64))\" it must be keys such as ctrl+shift+v, or never"))
    }
    return .success(value)
  }

  /// One rule that cannot be obeyed takes nothing from the others, least of all from those that forbid pasting.
  static func salvage(_ value: SettingValue) -> SettingValue? {
    guard case .object(let members) = value else { return nil }
    return .object(members.filter { isUsable($0.key, $0.value) })
  }

  private static func isUsable(_ windowClass: String, _ chord: SettingValue) -> Bool {
    guard case .string(let chord) = chord else { return false }
    return windowClass.trimmedNonEmpty != nil && WindowClassRules.isValid(chord)
  }
}
