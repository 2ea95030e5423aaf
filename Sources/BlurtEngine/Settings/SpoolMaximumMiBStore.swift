/// The most memory that kept recordings may take. Unset: 256 MiB.
public struct SpoolMaximumMiBStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.spoolMaximumMiB, backing, prefix)
  }

  /// In MiB.
  public var current: Double { setting.number }
}
