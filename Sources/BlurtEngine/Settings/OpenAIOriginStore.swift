/// The server for the engine `openai`. Unset: there is none, and the engine cannot be used.
public struct OpenAIOriginStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.openAIOrigin, backing, prefix)
  }

  /// An `http` or `https` address without a slash at its end.
  public var current: String? { setting.text }

  /// As for the service, and http to any host: the server of one's own house has seldom a certificate. `doctor` warns.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    guard text.trimmedNonEmpty != nil else { return .success(.string("")) }
    return DictationOriginStore.address(text, httpAnywhere: true, example: "http://127.0.0.1:8000")
  }
}
