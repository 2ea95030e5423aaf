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
          "for the windows \"\(windowClass.prefix(maxUTF8Bytes: 64))\" it must be never, or "
            + "keys such as ctrl+shift+v: ctrl, shift, alt and super with a letter, a digit, Insert or F1 to F35"))
    }
    return .success(value)
  }

  /// One rule that cannot be obeyed takes nothing from the others, least of all from those that forbid pasting.
  static func salvage(_ value: SettingValue) -> SettingValue? {
    guard case .object(let members) = value else { return nil }
    return .object(members.filter { isUsable($0.key, $0.value) })
  }

  /// Whether the key of the chord may be one: X has names that are not listed here, all with `_`, `XF86` or a code in them.
  private static func isKnownKey(_ chord: String) -> Bool {
    guard chord.lowercased() != WindowClassRules.never, let key = PasteChord(parsing: chord)?.key else { return true }
    if key.count == 1 || namedKeys.contains(key) || key.contains("_") || key.hasPrefix("XF86") { return true }
    let digits = key.dropFirst()
    switch key.first {
    case "F": return Int(digits).map { (1...35).contains($0) } ?? false
    case "U": return digits.count >= 4 && digits.allSatisfy(\.isHexDigit)
    default: return false
    }
  }

  /// Names of keys in X that are longer than a letter.
  private static let namedKeys: Set<String> = [
    "Insert", "Delete", "Home", "End", "Prior", "Next", "Return", "Tab", "BackSpace", "Escape", "Menu", "Pause",
    "Print",
    "Help", "Undo", "Redo", "space", "minus", "equal", "comma", "period", "slash", "backslash", "semicolon",
    "apostrophe", "grave", "bracketleft", "bracketright", "less", "adiaeresis", "odiaeresis", "udiaeresis", "ssharp",
  ]

  private static func isUsable(_ windowClass: String, _ chord: SettingValue) -> Bool {
    guard case .string(let chord) = chord else { return false }
    return windowClass.trimmedNonEmpty != nil && WindowClassRules.isValid(chord) && isKnownKey(chord)
  }
}
