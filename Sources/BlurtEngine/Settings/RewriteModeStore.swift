/// How the text is polished (P-23). Unset or unknown: fast.
public struct RewriteModeStore: Sendable {
  static let fast = "Fast"
  static let smart = "Smart"

  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.rewriteMode, backing, prefix)
  }

  /// Whether the slower, better rewrite is asked for.
  public var isSmart: Bool { setting.text == Self.smart }
}
