/// How long a recording is kept at the most. Unset: 24 hours.
public struct SpoolMaximumHoursStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.spoolMaximumHours, backing, prefix)
  }

  /// In hours.
  public var current: Double { setting.number }
}
