/// The entries of a setting that is made of many: what tells them apart, so that some can be changed without the rest.
///
/// Entries travel as a list, those of an object as an object. A value without reading or writing anything.
public struct SettingEntries: Sendable {
  /// What a change of some entries comes to.
  public enum Outcome: Sendable, Hashable {
    /// The whole value afterwards; it has not been checked.
    case changed(SettingValue)
    /// The entries that were to be changed are others by now than was expected.
    case conflict
    case refused(SettingRefusal)
  }

  /// The place of the entry with the same name.
  typealias Place<Wanted> = @Sendable (_ wanted: Wanted, _ entries: [SettingValue]) -> Int?

  /// The entries of a stored value, or of what a person hands in, in order; nil for what holds none.
  private let split: @Sendable (SettingValue) -> [SettingValue]?
  private let join: @Sendable ([SettingValue]) -> SettingValue
  private let placeOfEntry: Place<SettingValue>
  private let placeOfWord: Place<String>
  /// What is stored where an entry takes another one's place.
  private let replacing: @Sendable (_ old: SettingValue, _ new: SettingValue) -> SettingValue

  init(
    split: @escaping @Sendable (SettingValue) -> [SettingValue]?,
    join: @escaping @Sendable ([SettingValue]) -> SettingValue, placeOfEntry: @escaping Place<SettingValue>,
    placeOfWord: @escaping Place<String>,
    replacing: @escaping @Sendable (_ old: SettingValue, _ new: SettingValue) -> SettingValue = { $1 }
  ) {
    self.split = split
    self.join = join
    self.placeOfEntry = placeOfEntry
    self.placeOfWord = placeOfWord
    self.replacing = replacing
  }

  /// Removes the entries that the words name, then puts entries in the places of those with the same name, or at the end.
  ///
  /// - Parameters:
  ///   - value: The value in force.
  ///   - expected: The entries with those names as the client believes them to stand; nil: whatever stands there.
  public func changing(
    _ value: SettingValue?, putting put: SettingValue?, removing words: [String], expected: SettingValue?
  ) -> Outcome {
    guard let new = put.map(split) ?? [], let believed = expected.map(split) ?? [] else {
      return .refused(SettingRefusal("its entries are given in a list, or in an object where it is one"))
    }
    var entries = value.flatMap(split) ?? []
    if expected != nil {
      var touched = Set(words.compactMap { placeOfWord($0, entries) })
      touched.formUnion(new.compactMap { placeOfEntry($0, entries) })
      guard Set(touched.map { entries[$0] }) == Set(believed) else { return .conflict }
    }
    for word in words { if let index = placeOfWord(word, entries) { entries.remove(at: index) } }
    for entry in new {
      if let index = placeOfEntry(entry, entries) {
        entries[index] = replacing(entries[index], entry)
      } else {
        entries.append(entry)
      }
    }
    return .changed(join(entries))
  }
}
