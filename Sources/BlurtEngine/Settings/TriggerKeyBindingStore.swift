/// Reads what every trigger key does, and writes what was changed of it (P-11, P-21, P-22, H-56, H-58).
public struct TriggerKeyBindingStore: Sendable {
  private let settings: RawSettings
  private let key: TriggerKeyStore
  private let activation: TriggerActivationStore

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
    key = TriggerKeyStore(backing: backing, prefix: prefix)
    activation = TriggerActivationStore(backing: backing, prefix: prefix)
  }

  /// All keys as they are stored now, in one read. `canReadAloud`: there is a service that speaks.
  public func current(canReadAloud: Bool = false) -> TriggerKeyBindings {
    TriggerKeyBindings(
      storedKey: key.current, mode: activation.current,
      entries: TriggerKeyStyleStore.stored(settings[.triggerKeyStyles]),
      canReadAloud: canReadAloud)
  }

  /// What is to be stored so that the keys are as in `new`; nil removes a setting. Only what differs is in it, so that a
  /// value which cannot be read is not written over without need (P-07).
  public static func changes(
    from old: TriggerKeyBindings, to new: TriggerKeyBindings
  ) -> [(key: SettingsKey, value: SettingValue?)] {
    var changes: [(key: SettingsKey, value: SettingValue?)] = []
    if new.storedKey != old.storedKey { changes.append((.triggerKeyCode, .number(Double(new.storedKey.code)))) }
    if new.mode != old.mode { changes.append((.triggerActivation, .string(new.mode.rawValue))) }
    let entries = new.entries.filter { !$0.value.isEmpty }
    if entries != old.entries.filter({ !$0.value.isEmpty }) {
      changes.append((.triggerKeyStyles, entries.isEmpty ? nil : TriggerKeyStyleStore.encode(entries)))
    }
    return changes
  }

  /// Changes the keys and writes what has changed. Throws what kept it from being stored.
  public func change(canReadAloud: Bool = false, _ edit: (inout TriggerKeyBindings) -> Void) throws {
    let old = current(canReadAloud: canReadAloud)
    var new = old
    edit(&new)
    for (key, value) in Self.changes(from: old, to: new) { try settings.store(value, for: key) }
  }
}
