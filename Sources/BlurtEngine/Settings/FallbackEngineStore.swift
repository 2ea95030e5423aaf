/// What takes over when the service fails. Unset or unknown: the offline engine.
public struct FallbackEngineStore: Sendable {
  static let offline = EngineKind.offline.rawValue
  static let none = "none"

  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.fallbackEngine, backing, prefix)
  }

  /// Nil: nothing does.
  public var current: EngineKind? { setting.text == Self.none ? nil : .offline }
}
