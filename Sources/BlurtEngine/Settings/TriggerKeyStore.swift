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
    let key: TriggerKey?
    let given: String
    switch value {
    case .number(let number):
      let code = Int(exactly: number)
      key = code.flatMap(TriggerKey.init(code:))
      given = code.map(String.init) ?? "\(number)"
    case .string(let text):
      key = text.trimmedNonEmpty.flatMap { TriggerKey($0) }
      given = "\"" + text.prefix(maxUTF8Bytes: 64) + "\""
    case .bool, .list, .object:
      return .failure(SettingRefusal("it must be the name of a key, such as \(TriggerKey.default.name), or its code"))
    }
    guard let key else {
      return .failure(
        SettingRefusal(
          "\(given) is no key that can dictate; take KEY_RIGHTCTRL, KEY_RIGHTALT, KEY_F13 or another "
            + "modifier or function key"))
    }
    return .success(.string(key.name))
  }

  /// The code: what other versions of the program read.
  static func storedForm(_ written: SettingValue, _ normalised: SettingValue) -> SettingValue {
    guard case .string(let name) = normalised, let key = TriggerKey(name) else { return normalised }
    return .number(Double(key.code))
  }
}
