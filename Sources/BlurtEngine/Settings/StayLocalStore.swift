/// Whether audio may only go to engines on this computer. Unset: it may leave.
public struct StayLocalStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.stayLocal, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
