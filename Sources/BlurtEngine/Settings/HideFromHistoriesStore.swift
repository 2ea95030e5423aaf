/// Whether clipboard histories are asked not to keep what passes through the clipboard for a paste. Unset: they are.
public struct HideFromHistoriesStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.hideFromHistories, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
