internal import BlurtContract

/// The terms of `BlurtKeyTerms`: one text, in which commas end terms (P-18).
struct TermList: Hashable {
  static let setting = "BlurtKeyTerms"

  private(set) var terms: [String] = []

  /// Blank terms are dropped, and those that are there already in another case.
  init(_ text: String) { for term in Self.split(text) { add(term) } }

  init(_ value: JSONValue) { self.init(value.string ?? "") }

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

  /// The terms in a text.
  static func split(_ text: String) -> [String] {
    text.split(separator: ",").map { Trimming.trimmed(String($0)) }.filter { !$0.isEmpty }
  }
}
