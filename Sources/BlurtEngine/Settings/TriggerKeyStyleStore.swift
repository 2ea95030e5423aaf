/// The form of `BlurtTriggerKeyStyles`: what each trigger key does (P-22, H-55).
///
/// An object from evdev codes to objects with `action` (`off`, `dictate`, `readAloud`, `ask`), for `dictate` perhaps `style`,
/// and perhaps `activation`. What is not in it is as by default. `TriggerKeyBindingStore` reads it with what belongs to it.
public enum TriggerKeyStyleStore {
  private static let memberNames = ["action", "style", "activation"]
  private static let actionNames = ["off", "dictate", "readAloud", "ask"]

  /// The value as it is to be stored. Keys may be named; they are stored as codes. An action that nothing can carry out yet
  /// is refused.
  public static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    do throws(SettingRefusal) {
      return .success(encode(try decode(value, from: .person)))
    } catch {
      return .failure(error)
    }
  }

  /// What counts of a stored value that would be refused as a new one; nil where it cannot be read.
  public static func salvage(_ stored: SettingValue) -> SettingValue? {
    (try? decode(stored, from: .storage)).map(encode)
  }

  /// Why no key can be told to read aloud or to ask (H-64).
  public static let noSpeechService =
    "no key can read aloud or ask, for there is no speech service yet; choose dictate or off"

  /// The entries of a stored value. One that cannot be read has none (P-07).
  static func stored(_ value: SettingValue?) -> [TriggerKey: TriggerKeyBindings.Entry] {
    value.flatMap { try? decode($0, from: .storage) } ?? [:]
  }

  static func encode(_ entries: [TriggerKey: TriggerKeyBindings.Entry]) -> SettingValue {
    TriggerKeyMap.value(
      of: entries.filter { !$0.value.isEmpty }.mapValues { entry in
        var members: [String: SettingValue] = [:]
        switch entry.choice {
        case .off?: members["action"] = .string("off")
        case .dictate(let style)?:
          members["action"] = .string("dictate")
          members["style"] = style.map(SettingValue.string)
        case .readAloud?: members["action"] = .string("readAloud")
        case .ask?: members["action"] = .string("ask")
        case nil: break
        }
        members["activation"] = entry.mode.map { .string($0.rawValue) }
        return .object(members)
      })
  }

  private static func decode(
    _ value: SettingValue, from source: SettingSource
  ) throws(SettingRefusal) -> [TriggerKey: TriggerKeyBindings.Entry] {
    var entries: [TriggerKey: TriggerKeyBindings.Entry] = [:]
    for (key, value) in try TriggerKeyMap.entries(of: value, title: "the choices of the trigger keys", from: source) {
      let entry = try StoredEntry(value, title: key.label, allowing: memberNames, from: source)
      let mode = try mode(entry, of: key, from: source)
      // Without an action the key does what it does by default.
      let choice = mode != nil && entry.hasNot("action") ? nil : try choice(entry, of: key, from: source)
      entries[key] = TriggerKeyBindings.Entry(choice: choice, mode: mode)
    }
    return entries
  }

  private static func choice(
    _ entry: StoredEntry, of key: TriggerKey, from source: SettingSource
  ) throws(SettingRefusal) -> TriggerKeyChoice {
    let style = try entry.optionalString("style")?.trimmedNonEmpty
    let action = try entry.string("action")
    if source == .person, style != nil, action != "dictate" {
      throw SettingRefusal("\(key.label) has a style but does not dictate; only \"dictate\" takes one")
    }
    switch action {
    case "off": return .off
    case "dictate": return .dictate(style: style == ActiveStyle.baseSentinel ? nil : style)
    case "readAloud", "ask":
      if source == .person { throw SettingRefusal("\(key.label) has the action \"\(action)\": \(noSpeechService)") }
      return action == "ask" ? .ask : .readAloud
    default:
      throw SettingRefusal(
        "\(key.label) has the action \"\(action.prefix(maxUTF8Bytes: 64))\"; allowed are "
          + actionNames.joined(separator: ", "))
    }
  }

  /// A stored mode that nobody knows is as good as none (H-03).
  private static func mode(
    _ entry: StoredEntry, of key: TriggerKey, from source: SettingSource
  ) throws(SettingRefusal) -> ActivationMode? {
    guard let text = try entry.optionalString("activation")?.trimmedNonEmpty else { return nil }
    let mode = ActivationMode.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
    guard mode == nil, source == .person else { return mode }
    throw SettingRefusal(
      "\(key.label) has the activation \"\(text.prefix(maxUTF8Bytes: 64))\"; allowed are "
        + ActivationMode.allCases.map(\.rawValue).joined(separator: ", "))
  }
}
