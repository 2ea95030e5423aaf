/// The most recordings that are kept. Unset: 20.
public struct SpoolMaximumCountStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.spoolMaximumCount, backing, prefix)
  }

  /// What counts now.
  public var current: Int { Int(exactly: setting.number) ?? 1 }
}
