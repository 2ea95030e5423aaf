internal import BlurtContract

/// What an import did: how many entries are new, how many took another's place, and what was left out.
struct ImportReport: Hashable {
  /// More lines about what was left out than these help nobody.
  static let longestList = 10

  var added = 0
  var changed = 0
  /// Entries that were there already, just so.
  var unchanged = 0
  /// With `--replace`: how many of the old ones are gone.
  var removed: Int?
  var dropped: [Dropped] = []

  /// Whether the file had anything that can be used.
  var isUsable: Bool { added + changed + unchanged > 0 }

  /// The JSON line.
  var line: [UInt8] {
    MessageCoder.encode(
      .object([
        "import": .object([
          "added": .integer(Int64(added)), "changed": .integer(Int64(changed)),
          "unchanged": .integer(Int64(unchanged)), "removed": .integer(Int64(removed ?? 0)),
          "dropped": .array(dropped.map { .object($0.members) }),
        ])
      ]))
  }

  /// Prints it, and says how the program ends: an import of which nothing could be used has failed.
  func print(_ output: Output) -> ExitStatus {
    for entry in dropped.prefix(Self.longestList) {
      output.remark("Entry \(entry.entry) was left out: \(entry.message)")
    }
    if dropped.count > Self.longestList { output.remark("and \(dropped.count - Self.longestList) more") }
    output.answer(sentence, line: line)
    return isUsable || dropped.isEmpty ? .done : .failed
  }

  private var sentence: String {
    var parts = ["\(added) added", "\(changed) changed"]
    if unchanged > 0 { parts.append("\(unchanged) unchanged") }
    if let removed { parts.append("\(removed) removed") }
    return (parts + ["\(dropped.count) left out"]).joined(separator: ", ") + "."
  }

  /// Counts an entry by what it meets.
  mutating func count(isNew: Bool, isSame: Bool) {
    if isNew { added += 1 } else if isSame { unchanged += 1 } else { changed += 1 }
  }
}
