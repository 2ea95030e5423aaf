internal import BlurtContract

/// The terms of `BlurtKeyTerms`: one text, in which commas end terms (P-18).
struct TermList: Hashable, EntryList {
  static let setting = "BlurtKeyTerms"

  private(set) var terms: [String] = []

  /// Blank terms are dropped, and those that are there already in another case.
  init(_ text: String) { for term in Self.split(text) { add(term) } }

  init(_ setting: SettingEntry) { self.init(setting.value.string ?? "") }

  var entries: [JSONValue] { terms.map { .string($0) } }

  static func name(of entry: JSONValue) -> String { entry.string ?? "" }

  /// Nil where none is left: then the setting goes back to its default.
  var value: JSONValue? { terms.isEmpty ? nil : .string(terms.joined(separator: ", ")) }

  /// False where it was there.
  @discardableResult
  mutating func add(_ term: String) -> Bool {
    guard !terms.contains(where: { $0.lowercased() == term.lowercased() }) else { return false }
    terms.append(term)
    return true
  }

  /// False where it was not there.
  mutating func remove(_ term: String) -> Bool {
    guard let index = terms.firstIndex(where: { $0.lowercased() == term.lowercased() }) else { return false }
    terms.remove(at: index)
    return true
  }

  /// Takes the terms of a file, merged into what is there. `replacing`: what was there goes.
  mutating func take(_ new: [String], replacing: Bool) -> ImportReport {
    let before = terms
    if replacing { terms = [] }
    var report = ImportReport()
    for term in new {
      let old = before.first { $0.lowercased() == term.lowercased() }
      // Merged, the spelling that is there stays.
      report.count(isNew: old == nil, isSame: !replacing || old == term)
      add(term)
    }
    if replacing {
      let now = Set(terms.map { $0.lowercased() })
      report.removed = before.count { !now.contains($0.lowercased()) }
    }
    return report
  }

  /// The terms in a text.
  static func split(_ text: String) -> [String] {
    text.split(separator: ",").map { Trimming.trimmed(String($0)) }.filter { !$0.isEmpty }
  }
}
