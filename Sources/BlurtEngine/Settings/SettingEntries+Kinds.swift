extension SettingEntries {
  /// A list of objects.
  static func list(
    placeOfEntry: @escaping Place<SettingValue>, placeOfWord: @escaping Place<String>,
    replacing: @escaping @Sendable (_ old: SettingValue, _ new: SettingValue) -> SettingValue = { $1 }
  ) -> Self {
    Self(
      split: { if case .list(let entries) = $0 { entries } else { nil } }, join: { .list($0) },
      placeOfEntry: placeOfEntry, placeOfWord: placeOfWord, replacing: replacing)
  }

  /// An object whose members are the entries. `isSame`: two names mean the same member.
  static func members(isSame: @escaping @Sendable (String, String) -> Bool = { $0 == $1 }) -> Self {
    let place: Place<String> = { word, entries in entries.firstIndex { isSame(memberName($0), word) } }
    return Self(
      split: { value in
        guard case .object(let members) = value else { return nil }
        return members.sorted { $0.key < $1.key }.map { .object([$0.key: $0.value]) }
      },
      join: { entries in
        var joined: [String: SettingValue] = [:]
        for case .object(let member) in entries { joined.merge(member) { $1 } }
        return .object(joined)
      },
      placeOfEntry: { entry, entries in place(memberName(entry), entries) }, placeOfWord: place)
  }

  /// Words in one text, with commas in between (P-18); they travel as a list of texts.
  static let words: Self = {
    let place: Place<String> = { word, entries in
      let wanted = word.trimmingWhitespace().lowercased()
      return entries.firstIndex { text($0).lowercased() == wanted }
    }
    return Self(
      split: { value in
        switch value {
        case .string(let words): KeyTermsStore.parse(words).map { .string($0) }
        case .list(let words):
          words.contains { text($0).isEmpty || text($0).contains(",") } ? nil : words.map { .string(text($0)) }
        case .bool, .number, .object: nil
        }
      },
      join: { .string($0.map(text).joined(separator: ", ")) },
      placeOfEntry: { entry, entries in place(text(entry), entries) }, placeOfWord: place)
  }()

  /// The text in a value; blank where it is none.
  private static func text(_ value: SettingValue) -> String {
    if case .string(let text) = value { text.trimmingWhitespace() } else { "" }
  }

  /// The name of the only member.
  private static func memberName(_ entry: SettingValue) -> String {
    if case .object(let member) = entry { member.keys.first ?? "" } else { "" }
  }
}

extension SettingValue {
  /// The text of a member; nil where there is none.
  func text(of member: String) -> String? {
    guard case .object(let members) = self, case .string(let text)? = members[member] else { return nil }
    return text
  }
}
