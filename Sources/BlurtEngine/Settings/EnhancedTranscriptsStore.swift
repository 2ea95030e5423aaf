/// Whether the polished text is shown rather than the verbatim one (P-16). Absent means on. Read only (P-05).
public struct EnhancedTranscriptsStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.enhancedTranscripts, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
