/// Whether dictations and errors are logged to files (P-15). Unset: nothing is written. Read only (P-05).
public struct DeveloperModeStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.developerMode, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
