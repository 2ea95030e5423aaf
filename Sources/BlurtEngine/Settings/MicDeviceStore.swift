/// The microphone to record from (P-24). Unset or blank: the system's default.
public struct MicDeviceStore: Sendable {
  /// The ALSA PCM that the system calls its default.
  public static let systemDefault = "default"

  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.micDeviceUID, backing, prefix)
  }

  /// A stable device name or an ALSA PCM name, as it was chosen.
  public var current: String { setting.text ?? Self.systemDefault }

  /// Any text that can be a name.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      return .failure(SettingRefusal("the name of a microphone is one line without control characters"))
    }
    return .success(.string(text.trimmedNonEmpty ?? systemDefault))
  }
}
