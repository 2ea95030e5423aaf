/// What each trigger key does (P-22, H-55, H-56, H-58).
///
/// Stored as `BlurtTriggerKeyStyles`, an object from evdev codes to objects with `action` (`off`, `dictate`, `readAloud`,
/// `ask`) and, for `dictate`, perhaps `style`. A key that is not in it does what it does by default.
public struct TriggerKeyStyleStore: Sendable {
  private static let memberNames = ["action", "style"]
  private static let actionNames = ["off", "dictate", "readAloud", "ask"]
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// What is stored for each key. A value that cannot be read is none (P-07); keys no longer offered are left out (H-54).
  public var stored: [TriggerKey: TriggerKeyChoice] {
    guard let value = settings[.triggerKeyStyles] else { return [:] }
    return (try? Self.decode(value, from: .storage)) ?? [:]
  }

  /// What that key does. By default the bound key dictates, Left Alt reads aloud where that can be had, and the rest is
  /// off (H-56, H-64).
  public func choice(of key: TriggerKey, boundKey: TriggerKey, canReadAloud: Bool) -> TriggerKeyChoice {
    stored[key] ?? Self.defaultChoice(of: key, boundKey: boundKey, canReadAloud: canReadAloud)
  }

  /// H-56.
  public static func defaultChoice(
    of key: TriggerKey, boundKey: TriggerKey, canReadAloud: Bool
  ) -> TriggerKeyChoice {
    if key == boundKey { return .dictate(style: nil) }
    return key == .leftAlt && canReadAloud ? .readAloud : .off
  }

  /// Changes what one key does.
  public func setChoice(_ choice: TriggerKeyChoice, of key: TriggerKey) throws {
    var choices = stored
    choices[key] = choice
    try settings.store(Self.encode(choices), for: .triggerKeyStyles)
  }

  /// Gives an action to one key. Where another key had it, stored or by default, that one is turned off (H-58).
  public func assign(
    _ choice: TriggerKeyChoice, to key: TriggerKey, boundKey: TriggerKey, canReadAloud: Bool
  ) throws {
    var choices = stored
    for other in Set(TriggerKey.offered + choices.keys) where other != key && choice != .off {
      let former =
        choices[other] ?? Self.defaultChoice(of: other, boundKey: boundKey, canReadAloud: canReadAloud)
      if Self.isSameAction(former, choice) { choices[other] = .off }
    }
    choices[key] = choice
    try settings.store(Self.encode(choices), for: .triggerKeyStyles)
  }

  /// `BlurtTriggerKeyStyles` as it is to be stored. Keys may be named; they are stored as codes.
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

  private static func isSameAction(_ one: TriggerKeyChoice, _ other: TriggerKeyChoice) -> Bool {
    switch (one, other) {
    case (.dictate, .dictate), (.readAloud, .readAloud), (.ask, .ask), (.off, .off): true
    case (.dictate, _), (.readAloud, _), (.ask, _), (.off, _): false
    }
  }

  private static func decode(
    _ value: SettingValue, from source: SettingSource
  ) throws(SettingRefusal) -> [TriggerKey: TriggerKeyChoice] {
    var choices: [TriggerKey: TriggerKeyChoice] = [:]
    for (key, value) in try TriggerKeyMap.entries(of: value, title: "the choices of the trigger keys", from: source) {
      let entry = try StoredEntry(value, title: key.label, allowing: memberNames, from: source)
      let style = try entry.optionalString("style")?.trimmedNonEmpty
      let action = try entry.string("action")
      switch action {
      case "off": choices[key] = .off
      case "dictate": choices[key] = .dictate(style: style == ActiveStyle.baseSentinel ? nil : style)
      case "readAloud": choices[key] = .readAloud
      case "ask": choices[key] = .ask
      default:
        throw SettingRefusal(
          "\(key.label) has the action \"\(action.prefix(maxUTF8Bytes: 64))\"; allowed are "
            + actionNames.joined(separator: ", ")
        )
      }
      if source == .person, style != nil, action != "dictate" {
        throw SettingRefusal("\(key.label) has a style but does not dictate; only \"dictate\" takes one")
      }
    }
    return choices
  }

  private static func encode(_ choices: [TriggerKey: TriggerKeyChoice]) -> SettingValue {
    TriggerKeyMap.value(
      of: choices.mapValues { choice in
        switch choice {
        case .off: .object(["action": .string("off")])
        case .dictate(nil): .object(["action": .string("dictate")])
        case .dictate(let style?): .object(["action": .string("dictate"), "style": .string(style)])
        case .readAloud: .object(["action": .string("readAloud")])
        case .ask: .object(["action": .string("ask")])
        }
      })
  }
}
