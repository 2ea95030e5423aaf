/// Whether the focused field is read: the text before the caret, and whether it is a password. Unset: it is.
public struct FieldContextStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.fieldContext, backing, prefix)
  }

  /// What counts now.
  public var current: Bool { setting.bool }
}
