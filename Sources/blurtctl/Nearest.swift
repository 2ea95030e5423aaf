/// Finds what a mistyped word was meant to be.
enum Nearest {
  /// ` Did you mean "press"?`, or nothing where no word is near.
  static func hint(to word: String, in names: [String]) -> String {
    match(word, in: names).map { " Did you mean \"\($0)\"?" } ?? ""
  }

  /// The nearest of the names: one that the word begins or that begins it, else one with few edits between them.
  static func match(_ word: String, in names: [String]) -> String? {
    let typed = word.lowercased()
    guard typed.count >= 2 else { return nil }
    if typed.count >= 3, let name = names.first(where: { $0.lowercased().hasPrefix(typed) }) { return name }
    // A third of the word may be wrong, one letter always.
    let limit = max(1, min(3, typed.count / 3))
    let found = names.map { (name: $0, distance: distance(Array(typed), Array($0.lowercased()))) }
      .min { $0.distance < $1.distance }
    if let found, found.distance <= limit { return found.name }
    return names.first { $0.count >= 3 && typed.hasPrefix($0.lowercased()) }
  }

  /// How many letters must be put in, left out, changed or swapped with their neighbour.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var before: [Int] = []
    var above = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, above) = (above, row)
    }
    return above[b.count]
  }
}
