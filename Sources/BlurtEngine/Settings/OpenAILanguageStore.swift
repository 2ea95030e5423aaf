/// The language that the server of the engine `openai` is told. Unset: it finds out by itself.
public struct OpenAILanguageStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.openAILanguage, backing, prefix)
  }

  /// Nil: none is sent.
  public var current: String? { setting.text }

  /// A code of two or three letters, as ISO 639 has them.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    let code = text.trimmingWhitespace().lowercased()
    guard code.isEmpty || (2...3).contains(code.count) && code.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
      return .failure(SettingRefusal("it must be a code of two or three letters, such as en or de"))
    }
    return .success(.string(code))
  }
}
