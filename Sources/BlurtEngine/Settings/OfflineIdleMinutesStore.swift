/// How long the offline engine stays in memory unused. Unset: 10 minutes.
public struct OfflineIdleMinutesStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.offlineIdleMinutes, backing, prefix)
  }

  /// Minutes; 0: it is kept.
  public var current: Double { setting.number }
}
