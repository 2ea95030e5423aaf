/// Whether media players are paused while the user dictates. Unset: they are left alone.
public struct PauseMediaStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.pauseMedia, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
