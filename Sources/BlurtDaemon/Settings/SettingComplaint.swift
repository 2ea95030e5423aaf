internal import BlurtEngine

/// Something in the settings file that is not used, and the sentence about it.
package struct SettingComplaint: Hashable, Sendable {
  /// The member's key, shortened where it is long.
  package let setting: String
  package let problem: String
  /// Whether there is a setting of that name.
  package let isKnown: Bool

  package init(setting: String, problem: String) {
    self.setting = setting
    self.problem = problem
    isKnown = true
  }

  /// About a member with the prefix of the settings that is none; nil for all others. What a program notes for itself is
  /// no mistake (P-26).
  package init?(unknown key: String, prefix: String) {
    guard !prefix.isEmpty, key.hasPrefix(prefix), key != prefix + "SigningIdentity" else { return nil }
    let names = SettingsKey.allCases.map { $0.name(prefix: prefix) }
    guard !names.contains(key) else { return nil }
    setting = String(key.prefix(Self.longestName))
    let near = Self.nearest(setting, among: names)
    problem = "There is no such setting" + (near.map { "; did you mean \($0)?" } ?? " in this version.")
    isKnown = false
  }

  /// For a message: the setting and the sentence.
  package var sentence: String { "\(setting): \(problem)" }

  /// Characters of a key that are shown.
  private static let longestName = 40
  /// The most letters that may be wrong in a name.
  private static let mostEdits = 3

  private static func nearest(_ name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased())
    let found = names.map { (name: $0, edits: edits(typed, Array($0.lowercased()))) }.min { $0.edits < $1.edits }
    return found.flatMap { $0.edits <= mostEdits ? $0.name : nil }
  }

  /// How many letters must be put in, left out or changed.
  private static func edits(_ one: [Character], _ other: [Character]) -> Int {
    var above = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var line = [row + 1]
      for column in other.indices {
        line.append(
          min(above[column + 1] + 1, line[column] + 1, above[column] + (letter == other[column] ? 0 : 1)))
      }
      above = line
    }
    return above[other.count]
  }
}
