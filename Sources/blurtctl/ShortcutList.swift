internal import BlurtContract

/// The shortcuts of `BlurtTextShortcuts` (P-39, P-40).
struct ShortcutList: Hashable, NamedEntryList {
  static let setting = "BlurtTextShortcuts"
  static let noun = "shortcut"

  private(set) var shortcuts: [Shortcut] = []
  /// The most that the daemon takes, by name.
  private var limits: [String: Int] = [:]

  init() {}

  init(_ setting: SettingEntry) {
    if case .array(let values) = setting.value { shortcuts = values.compactMap(Shortcut.init) }
    limits = setting.limits ?? [:]
  }

  var entries: [JSONValue] { shortcuts.map(\.json) }
  var names: [String] { shortcuts.map(\.trigger) }
  var countLimit: Int? { limits["entries"] }

  static func name(_ entry: Shortcut) -> String { entry.trigger }
  static func name(of entry: JSONValue) -> String { entry.object?["trigger"]?.string ?? "" }

  var value: JSONValue? { shortcuts.isEmpty ? nil : .array(shortcuts.map(\.json)) }

  /// The place of the shortcut whose trigger means the same.
  func index(of trigger: String) -> Int? {
    let key = Shortcut(trigger: trigger, expansion: "").matchKey
    return shortcuts.firstIndex { $0.trigger == trigger || (!key.isEmpty && $0.matchKey == key) }
  }

  /// Adds a shortcut, or puts it in the place of the one whose trigger means the same. True where it took a place.
  mutating func put(_ shortcut: Shortcut) -> Bool {
    guard let index = index(of: shortcut.trigger) else {
      shortcuts.append(shortcut)
      return false
    }
    shortcuts[index] = shortcut
    return true
  }

  mutating func remove(at index: Int) { shortcuts.remove(at: index) }

  mutating func removeAll() { shortcuts = [] }

  func problem(_ shortcut: Shortcut) -> String? {
    if shortcut.matchKey.isEmpty { return "Its trigger has no letter and no digit." }
    if let limit = limits["trigger"], shortcut.trigger.count > limit {
      return "Its trigger has more than \(limit) characters."
    }
    if Trimming.trimmed(shortcut.expansion).isEmpty { return "Its expansion is blank." }
    if let limit = limits["expansion"], shortcut.expansion.count > limit {
      return "Its expansion has more than \(limit) characters."
    }
    return nil
  }

  /// Of those in the file whose triggers mean the same the first one wins (P-40).
  mutating func take(_ entries: [Shortcut?], replacing: Bool) -> ImportReport {
    let before = self
    if replacing { shortcuts = [] }
    var report = ImportReport()
    var seen: Set<[String]> = []
    for (index, entry) in entries.enumerated() {
      if let message = refusal(entry, &seen) {
        report.dropped.append(Dropped(entry: index + 1, message: message))
      } else if let entry {
        let old = before.index(of: entry.trigger).map { before.shortcuts[$0] }
        report.count(isNew: old == nil, isSame: old == entry)
        _ = put(entry)
      }
    }
    if replacing { report.removed = before.shortcuts.count { index(of: $0.trigger) == nil } }
    return report
  }

  private func refusal(_ entry: Shortcut?, _ seen: inout Set<[String]>) -> String? {
    guard let entry else { return "It is no trigger with an expansion." }
    if let problem = problem(entry) { return problem }
    guard seen.insert(entry.matchKey).inserted else { return "An earlier entry has the same trigger." }
    if let countLimit, index(of: entry.trigger) == nil, shortcuts.count >= countLimit { return fullness + "." }
    return nil
  }
}
