/// How long the program of the engine `command` may take beyond the length of the recording. Unset: 60 seconds.
public struct EngineCommandSecondsStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.engineCommandSeconds, backing, prefix)
  }

  public var current: Double { setting.number }
}
