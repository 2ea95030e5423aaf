internal import BlurtContract

/// The styles of `BlurtStyleProfiles` and the pointer of `BlurtActiveStyleProfile` (P-31…P-33).
struct StyleList: Hashable {
  static let setting = "BlurtStyleProfiles"
  static let activeSetting = "BlurtActiveStyleProfile"
  /// The pointer's value for the base style alone (P-33).
  static let base = "default"
  /// P-31.
  static let countLimit = 4
  /// P-31, in characters.
  static let nameLimit = 24

  private(set) var styles: [Style]

  init(_ value: JSONValue) {
    if case .array(let values) = value { styles = values.compactMap(Style.init) } else { styles = [] }
  }

  init() { styles = [] }

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

  /// Why a style cannot be stored; nil where it can.
  static func problem(_ style: Style) -> String? {
    if style.name.isEmpty { return "It has no name." }
    if style.name.count > nameLimit { return "Its name has more than \(nameLimit) characters." }
    if style.name.lowercased() == base || style.id == base { return "\"\(base)\" means the base style." }
    if style.instructions.isEmpty { return "It has no instructions." }
    return nil
  }

  /// Takes the entries of a file, merged into what is there; what cannot be stored is left out. `replacing`: what was
  /// there goes.
  mutating func take(_ entries: [JSONValue], replacing: Bool = false) -> ImportReport {
    let before = self
    if replacing { styles = [] }
    var report = ImportReport()
    for (index, entry) in entries.enumerated() {
      guard let style = Style(entry) else {
        report.dropped.append(Dropped(entry: index + 1, message: "It is no object with name and instructions."))
        continue
      }
      var tried = self
      let tookPlace = tried.put(style)
      if let problem = Self.problem(style) {
        report.dropped.append(Dropped(entry: index + 1, message: problem))
      } else if tried.styles.count > Self.countLimit {
        report.dropped.append(
          Dropped(entry: index + 1, message: "There are \(Self.countLimit) styles already: remove one first."))
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
