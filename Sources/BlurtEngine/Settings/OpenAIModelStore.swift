/// The model that the server of the engine `openai` is asked for. Unset: `whisper-1`, which such servers know.
public struct OpenAIModelStore: Sendable {
  /// OpenAI's own name for it.
  public static let usual = "whisper-1"

  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.openAIModel, backing, prefix)
  }

  public var current: String { setting.text ?? Self.usual }

  /// One line of at most 200 bytes.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    let name = text.trimmingWhitespace()
    guard name.utf8.count <= 200, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      return .failure(SettingRefusal("the name of a model is one line of at most 200 bytes"))
    }
    return .success(.string(name.isEmpty ? usual : name))
  }
}
