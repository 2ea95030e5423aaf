internal import BlurtContract

/// The styles of `BlurtStyleProfiles` and the pointer of `BlurtActiveStyleProfile` (P-31…P-33).
struct StyleList: Hashable, NamedEntryList {
  static let setting = "BlurtStyleProfiles"
  static let activeSetting = "BlurtActiveStyleProfile"
  /// The pointer's value for the base style alone (P-33).
  static let base = "default"
  static let noun = "style"

  private(set) var styles: [Style] = []
  /// The most that the daemon takes, by name.
  private var limits: [String: Int] = [:]

  init() {}

  init(_ setting: SettingEntry) {
    if case .array(let values) = setting.value { styles = values.compactMap(Style.init) }
    limits = setting.limits ?? [:]
  }

  var entries: [JSONValue] { styles.map(\.json) }
  var names: [String] { styles.map(\.name) }
  var countLimit: Int? { limits["entries"] }

  static func name(_ entry: Style) -> String { entry.name }
  static func name(of entry: JSONValue) -> String { (entry.object?["id"] ?? entry.object?["name"])?.string ?? "" }

  var value: JSONValue? { styles.isEmpty ? nil : .array(styles.map(\.json)) }

  /// P-32: the style that is used by a pointer; nil for the base style.
  func active(_ pointer: JSONValue) -> Style? {
    guard let id = pointer.string, !id.isEmpty else { return styles.first }
    return id == Self.base ? nil : styles.first { $0.id == id } ?? styles.first
  }

  /// The place of the style with that ID or that name.
  func index(of word: String) -> Int? {
    styles.firstIndex { $0.id == word } ?? styles.firstIndex { $0.name.lowercased() == word.lowercased() }
  }

  /// The place of the style with the same ID or name.
  private func index(like style: Style) -> Int? {
    styles.firstIndex { !style.id.isEmpty && $0.id == style.id } ?? index(of: style.name)
  }

  /// Adds a style, or puts it in the place of the one with the same ID or name. True where it took a place.
  mutating func put(_ style: Style) -> Bool {
    guard let index = index(like: style) else {
      styles.append(style)
      return false
    }
    var style = style
    style.id = styles[index].id
    styles[index] = style
    return true
  }

  mutating func remove(at index: Int) { styles.remove(at: index) }

  mutating func removeAll() { styles = [] }

  func problem(_ style: Style) -> String? {
    if style.name.isEmpty { return "It has no name." }
    if let limit = limits["name"], style.name.count > limit { return "Its name has more than \(limit) characters." }
    if style.name.lowercased() == Self.base || style.id == Self.base {
      return "\"\(Self.base)\" means the base style."
    }
    if style.instructions.isEmpty { return "It has no instructions." }
    if let limit = limits["instructionsBytes"], style.instructions.utf8.count > limit {
      return "Its instructions have more than \(limit) bytes."
    }
    return nil
  }

  mutating func take(_ entries: [Style?], replacing: Bool) -> ImportReport {
    let before = self
    if replacing { styles = [] }
    var report = ImportReport()
    for (index, entry) in entries.enumerated() {
      guard let style = entry else {
        report.dropped.append(Dropped(entry: index + 1, message: "It is no object with name and instructions."))
        continue
      }
      var tried = self
      let tookPlace = tried.put(style)
      if let problem = problem(style) {
        report.dropped.append(Dropped(entry: index + 1, message: problem))
      } else if let countLimit, tried.styles.count > countLimit {
        report.dropped.append(Dropped(entry: index + 1, message: "\(fullness): remove one first."))
      } else {
        self = tried
        let old = before.index(like: style).map { before.styles[$0] }
        report.count(
          isNew: old == nil && !tookPlace,
          isSame: old.map { $0.name == style.name && $0.instructions == style.instructions } ?? false)
      }
    }
    if replacing { report.removed = before.styles.count { index(like: $0) == nil } }
    return report
  }
}
