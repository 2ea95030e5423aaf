internal import BlurtContract

/// The shortcuts of `BlurtTextShortcuts` (P-39, P-40).
struct ShortcutList: Hashable {
  static let setting = "BlurtTextShortcuts"
  /// P-39.
  static let countLimit = 200
  /// P-39, in characters.
  static let triggerLimit = 60
  /// P-39, in characters.
  static let expansionLimit = 2000

  private(set) var shortcuts: [Shortcut]

  init(_ value: JSONValue) {
    if case .array(let values) = value { shortcuts = values.compactMap(Shortcut.init) } else { shortcuts = [] }
  }

  init() { shortcuts = [] }

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

  /// Why a shortcut cannot be stored; nil where it can.
  static func problem(_ shortcut: Shortcut) -> String? {
    if shortcut.matchKey.isEmpty { return "Its trigger has no letter and no digit." }
    if shortcut.trigger.count > triggerLimit { return "Its trigger has more than \(triggerLimit) characters." }
    if Trimming.trimmed(shortcut.expansion).isEmpty { return "Its expansion is blank." }
    if shortcut.expansion.count > expansionLimit { return "Its expansion has more than \(expansionLimit) characters." }
    return nil
  }

  /// Takes the entries of a file, merged into what is there; what cannot be stored is left out. Nil stands for what is no
  /// shortcut at all. Of those in the file whose triggers mean the same the first one wins (P-40). `replacing`: what was
  /// there goes.
  mutating func take(_ entries: [Shortcut?], replacing: Bool = false) -> ImportReport {
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
    if let problem = Self.problem(entry) { return problem }
    guard seen.insert(entry.matchKey).inserted else { return "An earlier entry has the same trigger." }
    if index(of: entry.trigger) == nil, shortcuts.count >= Self.countLimit {
      return "There are \(Self.countLimit) shortcuts already."
    }
    return nil
  }
}
