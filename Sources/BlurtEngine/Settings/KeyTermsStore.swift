/// The user's own words for the recogniser (P-14). Unset: none. Read only: the control that edits them stores the text
/// as it is typed, and it is normalised when it is read (P-05).
public struct KeyTermsStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.keyTerms, backing, prefix)
  }

  /// The words, in the user's order.
  public var current: [String] { setting.text.map(Self.parse) ?? [] }

  /// Splits at commas, trims, drops blanks and case-insensitive repeats; the first spelling stays (P-18).
  public static func parse(_ text: String) -> [String] {
    var seen: Set<String> = []
    return text.split(separator: ",").compactMap(\.trimmedNonEmpty).filter { seen.insert($0.lowercased()).inserted }
  }

  /// The words with a comma and a blank between them.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    return .success(.string(parse(text).joined(separator: ", ")))
  }
}
