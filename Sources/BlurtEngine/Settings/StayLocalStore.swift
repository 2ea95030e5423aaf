/// Whether audio may only go to engines on this computer. Unset: it may leave. In doubt it stays: where the settings
/// cannot be read, and where what is stored is neither true nor false.
public struct StayLocalStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.stayLocal, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.backing.isUnreadable || setting.bool }
}
