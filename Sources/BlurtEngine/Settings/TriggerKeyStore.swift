/// The key that dictates (P-11). Unset or unknown: right Ctrl. Stored as an evdev code; a name is read as well.
public struct TriggerKeyStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.triggerKeyCode, backing, prefix)
  }

  /// What counts now.
  public var current: TriggerKey { TriggerKey(stored: setting.text) }

  /// A code or a name becomes the key's full name; what is neither is named.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    let given: String
    switch value {
    case .number(let number): given = Int(exactly: number).map(String.init) ?? "\(number)"
    case .string(let text): given = text.trimmingWhitespace()
    case .bool, .list, .object:
      return .failure(SettingRefusal("it must be the name of a key, such as \(TriggerKey.default.name), or its code"))
    }
    guard let key = TriggerKey(given) else {
      return .failure(SettingRefusal(TriggerKey.refusal(of: given) ?? "it is no key that can dictate"))
    }
    return .success(.string(key.name))
  }

  /// The code: what other versions of the program read.
  static func storedForm(_ written: SettingValue, _ normalised: SettingValue) -> SettingValue {
    guard case .string(let name) = normalised, let key = TriggerKey(name) else { return normalised }
    return .number(Double(key.code))
  }
}
