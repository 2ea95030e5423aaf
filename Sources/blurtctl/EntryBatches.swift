internal import BlurtContract

/// A change of a list that is too long for one request, as changes of some entries that each fit into one.
enum EntryBatches {
  /// One entry that goes, comes or changes.
  private struct Step {
    var put: JSONValue?
    var remove: String?
    /// What stands there now.
    var expected: JSONValue?
  }

  /// The changes that make one list of another, those that remove first; none of them is longer than a request may be.
  /// Nil where a single entry is.
  static func changes<List: EntryList>(
    of list: List.Type, from before: List, to after: List, fits: (EntryChange) -> Bool
  ) -> [EntryChange]? {
    let old = named(before)
    let new = named(after)
    let steps =
      before.entries.filter { new[List.name(of: $0)] == nil }.map { Step(remove: List.name(of: $0), expected: $0) }
      + after.entries.filter { old[List.name(of: $0)] != $0 }
      .map { Step(put: $0, expected: old[List.name(of: $0)]) }
    var changes: [EntryChange] = []
    var batch: [Step] = []
    for step in steps {
      if fits(change(List.setting, batch + [step])) {
        batch.append(step)
        continue
      }
      if !batch.isEmpty { changes.append(change(List.setting, batch)) }
      batch = [step]
      if fits(change(List.setting, batch)) { continue }
      // An entry that is long itself, in the place of another such one: the comparison is left out.
      let alone = EntryChange(
        setting: List.setting, put: step.put.map { .array([$0]) }, remove: batch.compactMap(\.remove))
      guard fits(alone) else { return nil }
      changes.append(alone)
      batch = []
    }
    return batch.isEmpty ? changes : changes + [change(List.setting, batch)]
  }

  private static func named<List: EntryList>(_ list: List) -> [String: JSONValue] {
    Dictionary(list.entries.map { (List.name(of: $0), $0) }) { first, _ in first }
  }

  private static func change(_ setting: String, _ steps: [Step]) -> EntryChange {
    let put = steps.compactMap(\.put)
    return EntryChange(
      setting: setting, put: put.isEmpty ? nil : .array(put), remove: steps.compactMap(\.remove),
      expected: .array(steps.compactMap(\.expected)))
  }
}
