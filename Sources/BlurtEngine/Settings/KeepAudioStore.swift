/// Whether recordings are kept until their text has been delivered. Unset: they are.
public struct KeepAudioStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.keepAudio, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
