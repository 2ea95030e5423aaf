/// The program of the engine `command`: its path or name, then its arguments. Unset: there is none.
///
/// Never a line for a shell: each member is one argument as it stands.
public struct EngineCommandStore: Sendable {
  /// The most words.
  public static let countLimit = 64
  /// The most UTF-8 bytes of all words together.
  public static let byteLimit = 16_384

  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.engineCommand, backing, prefix)
  }

  /// The program and its arguments; empty where none is set.
  public var current: [String] {
    guard case .list(let words) = setting.value else { return [] }
    return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }

  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .list(let words) = value else { return SettingDescription.of(.list, value) }
    var byteCount = 0
    for (index, word) in words.enumerated() {
      guard case .string(let text) = word, !text.unicodeScalars.contains("\0"), index > 0 || text.trimmedNonEmpty != nil
      else {
        return .failure(
          SettingRefusal(
            "it must be a program and its arguments, such as [\"/usr/bin/program\", \"--language\", \"en\"]"))
      }
      byteCount += text.utf8.count
    }
    guard words.count <= countLimit, byteCount <= byteLimit else {
      return .failure(SettingRefusal("it may have \(countLimit) words and \(byteLimit) bytes: use a script"))
    }
    return .success(value)
  }
}
