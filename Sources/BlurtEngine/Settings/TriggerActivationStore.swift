/// How presses of the trigger key are meant (P-21). Unset or unknown: `tapOrHold`.
public struct TriggerActivationStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.triggerActivation, backing, prefix)
  }

  /// What counts now.
  public var current: ActivationMode { ActivationMode(stored: setting.text) }
}
