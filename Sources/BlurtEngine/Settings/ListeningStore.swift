/// Whether presses are answered. Unset: they are.
public struct ListeningStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.listening, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
