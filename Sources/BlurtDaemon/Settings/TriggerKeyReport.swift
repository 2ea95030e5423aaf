internal import BlurtContract
internal import BlurtEngine

/// Every trigger key as clients see it: what it does, in which style, how, and what there is to know about it.
struct TriggerKeyReport {
  let bindings: TriggerKeyBindings
  private let styles: [StyleProfile]
  private let active: StyleProfile?

  init(_ backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    bindings = TriggerKeyBindingStore(backing: backing, prefix: prefix).current()
    let store = StyleProfileStore(backing: backing, prefix: prefix)
    styles = store.profiles
    active = store.activeProfile
  }

  var entries: [KeyEntry] { bindings.all.map(entry) }

  private func entry(_ binding: TriggerKeyBindings.Binding) -> KeyEntry {
    let key = binding.key
    let style = style(of: binding)
    let warnings = [key.caution].compactMap { $0 } + faults(of: binding)
    return KeyEntry(
      key: key.name, code: key.code, label: key.label, choice: binding.choice.name, style: style?.id,
      styleName: style?.name, activation: binding.mode.rawValue, isBound: binding.isBound,
      isOffered: TriggerKey.offered.contains(key), warnings: warnings.isEmpty ? nil : warnings)
  }

  private func style(of binding: TriggerKeyBindings.Binding) -> StyleProfile? {
    if binding.isBound { return active }
    guard case .dictate(let id?) = binding.choice else { return nil }
    return styles.first { $0.id == id }
  }

  /// Why a key does not do what it is told.
  func faults(of binding: TriggerKeyBindings.Binding) -> [String] {
    switch binding.choice {
    case .off, .dictate(nil): return []
    case .readAloud, .ask: return ["There is no speech service yet, so the key does nothing."]
    case .dictate(let id?):
      guard !binding.isBound, !styles.contains(where: { $0.id == id }) else { return [] }
      return ["There is no style \"\(id)\" any more, so the key dictates in the base style."]
    }
  }
}
