/// How long after the last word presses are still answered (S-118). Unset: for ever.
public struct ListeningMinutesStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.listeningMinutes, backing, prefix)
  }

  /// Minutes; 0: the listening window never closes.
  public var current: Double { setting.number }
}
