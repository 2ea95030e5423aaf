/// The engine that was chosen. Unset or unknown: the first one that can work.
public struct EngineKindStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.engineKind, backing, prefix)
  }

  /// Nil: nobody chose.
  public var current: EngineKind? { setting.text.flatMap(EngineKind.init(rawValue:)) }
}
