internal import BlurtContract

/// What an import did: how many entries are new, how many took another's place, and what was left out.
struct ImportReport: Hashable {
  var added = 0
  var changed = 0
  var dropped: [Dropped] = []

  /// The JSON line.
  var line: [UInt8] {
    MessageCoder.encode(
      .object([
        "import": .object([
          "added": .integer(Int64(added)), "changed": .integer(Int64(changed)),
          "dropped": .array(dropped.map { .object($0.members) }),
        ])
      ]))
  }

  /// Prints it, and says how the program ends: an import of which nothing could be used has failed.
  func print(_ output: Output) -> ExitStatus {
    for entry in dropped { output.remark("Entry \(entry.entry) was left out: \(entry.message)") }
    output.answer("\(added) added, \(changed) changed, \(dropped.count) left out.", line: line)
    return added + changed == 0 && !dropped.isEmpty ? .failed : .done
  }
}
