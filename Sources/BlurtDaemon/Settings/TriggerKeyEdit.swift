internal import BlurtContract
internal import BlurtEngine

/// A change of the trigger keys that was read and makes sense by itself (H-58).
struct TriggerKeyEdit {
  private enum Choice {
    case off, dictate
  }

  private let key: TriggerKey?
  private let choice: Choice?
  /// As it was given; nil where none was.
  private let style: String?
  private let mode: ActivationMode?
  private let isBound: Bool
  private let isOnly: Bool

  /// Throws what is wrong with it, as a clause.
  init(_ change: KeyChange) throws(SettingRefusal) {
    if let text = change.key, let refusal = TriggerKey.refusal(of: text) { throw SettingRefusal(refusal) }
    key = change.key.flatMap { TriggerKey($0) }
    choice = try Self.choice(change.choice)
    style = change.style?.trimmedNonEmpty
    mode = try Self.mode(change.activation)
    isBound = change.isBound
    isOnly = change.isOnly
    if choice == nil, style == nil, mode == nil, !isBound {
      throw SettingRefusal("nothing was to be changed; give a choice, a style, an activation, or say that it is bound")
    }
    if key == nil, choice != nil || style != nil || isBound {
      throw SettingRefusal("no key was named; every key at once takes an activation only")
    }
    if choice == .off, style != nil || isBound {
      throw SettingRefusal("a key that is off has no style and cannot be the bound one")
    }
    if isOnly, choice == nil { throw SettingRefusal("only one key is to have an action, but none was given") }
  }

  /// Whether the change was about that key.
  func concerns(_ entry: KeyEntry) -> Bool { key?.name == entry.key }

  /// Changes what stands in the settings file. Throws what only the other settings can tell to be wrong.
  func apply(to document: inout SettingsDocument, prefix: String) throws(SettingRefusal) {
    let backing = DocumentBacking(document: document)
    let old = TriggerKeyBindingStore(backing: backing, prefix: prefix).current()
    var new = old
    let style = try style(in: StyleProfileStore(backing: backing, prefix: prefix).profiles)
    if let key {
      if let choice = wanted(of: key, old: old, style: style) {
        if isOnly { new.assign(choice, to: key) } else { new.setChoice(choice, of: key) }
      }
      if isBound { new.bind(key) }
      if let mode { new.setActivation(mode, of: key) }
    } else if let mode {
      new.setActivation(mode)
    }
    for (setting, value) in TriggerKeyBindingStore.changes(from: old, to: new) {
      document[setting.name(prefix: prefix)] = value?.json
    }
    // H-59: the bound key's style is the active one.
    if let style, let key, new.dictationKey == key {
      document[SettingsKey.activeStyleProfile.name(prefix: prefix)] = .string(style.id ?? ActiveStyle.baseSentinel)
    }
  }

  /// What the key is to do; nil where that stays. A style alone makes it dictate.
  private func wanted(of key: TriggerKey, old: TriggerKeyBindings, style: Style?) -> TriggerKeyChoice? {
    switch choice {
    case .off?: return .off
    case .dictate?, nil:
      if let style { return .dictate(style: style.id) }
      guard choice != nil else { return nil }
      return old.choice(of: key).dictates ? old.choice(of: key) : .dictate(style: nil)
    }
  }

  /// A style that was given; without an id it is the base.
  private struct Style {
    let id: String?
  }

  private func style(in profiles: [StyleProfile]) throws(SettingRefusal) -> Style? {
    guard let style else { return nil }
    let found =
      profiles.first { $0.id == style } ?? profiles.first { $0.name.lowercased() == style.lowercased() }
    if let found { return Style(id: found.id) }
    if style.lowercased() == ActiveStyle.baseSentinel { return Style(id: nil) }
    let names = profiles.map(\.name)
    let others = names.isEmpty ? "you have no style yet" : "yours are \(names.joined(separator: ", "))"
    throw SettingRefusal(
      "there is no style \"\(style.prefix(64))\"; \(others), and \(ActiveStyle.baseSentinel) is the base")
  }

  private static func choice(_ text: String?) throws(SettingRefusal) -> Choice? {
    switch text?.lowercased() {
    case nil: return nil
    case "off"?: return .off
    case "dictate"?: return .dictate
    case "readaloud"?, "ask"?: throw SettingRefusal(TriggerKeyStyleStore.noSpeechService)
    case let other?: throw SettingRefusal("\"\(other.prefix(64))\" is nothing that a key can do; choose dictate or off")
    }
  }

  private static func mode(_ text: String?) throws(SettingRefusal) -> ActivationMode? {
    guard let text else { return nil }
    if let mode = ActivationMode.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
      return mode
    }
    throw SettingRefusal(
      "\"\(text.prefix(64))\" is no activation; choose "
        + ActivationMode.allCases.map(\.rawValue).joined(separator: ", "))
  }
}
