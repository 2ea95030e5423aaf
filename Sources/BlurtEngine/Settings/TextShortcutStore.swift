/// The user's shortcuts (P-20, P-39, P-40).
///
/// Stored as `BlurtTextShortcuts`, a list of objects with `trigger` and `expansion`. Neither ever leaves the machine
/// (P-45): nothing but `TextShortcutExpander` and `TextShortcutRedactor` may be given them.
public struct TextShortcutStore: Sendable {
  /// The most shortcuts.
  public static let countLimit = 200

  /// The most that the setting takes, by name.
  static let limits = [
    "entries": countLimit, "trigger": TextShortcut.triggerLimit, "expansion": TextShortcut.expansionLimit,
  ]
  /// Told apart by what their triggers mean (P-40); named by a trigger.
  static let settingEntries: SettingEntries = {
    let place: SettingEntries.Place<String> = { trigger, entries in
      let key = TextShortcut(trigger: trigger, expansion: "").matchKey
      return key.isEmpty
        ? nil
        : entries.firstIndex { TextShortcut(trigger: $0.text(of: "trigger") ?? "", expansion: "").matchKey == key }
    }
    return .list(
      placeOfEntry: { entry, entries in entry.text(of: "trigger").flatMap { place($0, entries) } }, placeOfWord: place)
  }()

  private static let memberNames = ["trigger", "expansion"]
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// What is stored, as it is: it changes whenever the shortcuts do, and is quicker to look at.
  package var storedValue: SettingValue? { settings[.textShortcuts] }

  /// The shortcuts that can be used, in the user's order. A list that cannot be read is none (P-07).
  public var shortcuts: [TextShortcut] { Self.shortcuts(storedValue) }

  /// The shortcuts that a stored value holds.
  package static func shortcuts(_ stored: SettingValue?) -> [TextShortcut] {
    guard let value = stored, let shortcuts = try? decode(value, from: .storage) else { return [] }
    return normalise(shortcuts)
  }

  /// Stores the shortcuts, normalised; those that cannot be used are left out (P-06).
  public func save(_ shortcuts: [TextShortcut]) throws {
    try settings.store(Self.encode(Self.normalise(shortcuts)), for: .textShortcuts)
  }

  /// The shortcuts that can be used: triggers trimmed; blank, unmatchable and too long ones left out; of those with the
  /// same match key the first (P-39, P-40).
  ///
  /// Nothing is cut to fit: half an expansion would be pasted for a whole one.
  public static func normalise(_ shortcuts: [TextShortcut]) -> [TextShortcut] {
    var keys: Set<[String]> = []
    var accepted: [TextShortcut] = []
    for shortcut in shortcuts where accepted.count < countLimit {
      let shortcut = TextShortcut(trigger: shortcut.trigger.trimmingWhitespace(), expansion: shortcut.expansion)
      guard shortcut.trigger.count <= TextShortcut.triggerLimit,
        shortcut.expansion.count <= TextShortcut.expansionLimit, shortcut.expansion.trimmedNonEmpty != nil
      else { continue }
      let key = shortcut.matchKey
      if !key.isEmpty, keys.insert(key).inserted { accepted.append(shortcut) }
    }
    return accepted
  }

  /// `BlurtTextShortcuts` as it is to be stored.
  public static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    do throws(SettingRefusal) {
      let shortcuts = try decode(value, from: .person)
      try check(shortcuts)
      return .success(encode(normalise(shortcuts)))
    } catch {
      return .failure(error)
    }
  }

  /// What counts of a stored list that would be refused as a new one; nil where it cannot be read.
  public static func salvage(_ stored: SettingValue) -> SettingValue? {
    (try? decode(stored, from: .storage)).map { encode(normalise($0)) }
  }

  private static func decode(
    _ value: SettingValue, from source: SettingSource
  ) throws(SettingRefusal) -> [TextShortcut] {
    guard case .list(let values) = value else {
      throw SettingRefusal("the shortcuts are a list of objects with \(memberNames.joined(separator: ", "))")
    }
    var shortcuts: [TextShortcut] = []
    for (index, value) in values.enumerated() {
      let entry = try StoredEntry(value, title: "shortcut \(index + 1)", allowing: memberNames, from: source)
      shortcuts.append(
        TextShortcut(trigger: try entry.string("trigger"), expansion: try entry.string("expansion")))
    }
    return shortcuts
  }

  private static func encode(_ shortcuts: [TextShortcut]) -> SettingValue {
    .list(shortcuts.map { .object(["trigger": .string($0.trigger), "expansion": .string($0.expansion)]) })
  }

  /// Messages name a shortcut by its number alone: its text is the user's own.
  private static func check(_ shortcuts: [TextShortcut]) throws(SettingRefusal) {
    guard shortcuts.count <= countLimit else {
      throw SettingRefusal("there are \(shortcuts.count) shortcuts; at most \(countLimit) are allowed")
    }
    var indexes: [[String]: Int] = [:]
    for (index, shortcut) in shortcuts.enumerated() {
      let title = "shortcut \(index + 1)"
      let (triggerCount, expansionCount) = (shortcut.trigger.trimmingWhitespace().count, shortcut.expansion.count)
      let key = shortcut.matchKey
      if key.isEmpty {
        throw SettingRefusal("\(title) has a trigger that cannot be said; it needs a letter or a digit")
      }
      if triggerCount > TextShortcut.triggerLimit {
        throw SettingRefusal(
          "\(title) has a trigger of \(triggerCount) characters; at most \(TextShortcut.triggerLimit) are "
            + "allowed")
      }
      if shortcut.expansion.trimmedNonEmpty == nil {
        throw SettingRefusal("\(title) has a blank expansion; write the text that is to be inserted")
      }
      if expansionCount > TextShortcut.expansionLimit {
        throw SettingRefusal(
          "\(title) has an expansion of \(expansionCount) characters; at most "
            + "\(TextShortcut.expansionLimit) are allowed")
      }
      if let other = indexes.updateValue(index, forKey: key) {
        throw SettingRefusal(
          "\(title) has the same trigger as shortcut \(other + 1), case and punctuation aside; keep one")
      }
    }
  }
}
