/// One entry of a stored list or map, read member by member.
///
/// The same code reads what is stored and what a person hands in. Only the person is told of a member that nobody knows:
/// a stored one may be a newer version's, and is skipped.
struct StoredEntry {
  /// How a message names the entry, as in `style 2`.
  let title: String
  private let members: [String: SettingValue]

  init(_ value: SettingValue, title: String, allowing names: [String], from source: SettingSource)
    throws(SettingRefusal)
  {
    self.title = title
    guard case .object(let members) = value else {
      throw SettingRefusal("\(title) is no object; write one with \(names.joined(separator: ", "))")
    }
    self.members = members
    guard source == .person, let unknown = members.keys.filter({ !names.contains($0) }).min() else { return }
    throw SettingRefusal(
      "\(title) has \"\(unknown.prefix(maxUTF8Bytes: 64))\", which is unknown; allowed are "
        + names.joined(separator: ", "))
  }

  /// Whether there is no member of that name.
  func hasNot(_ name: String) -> Bool { members[name] == nil }

  /// The text of a member; nil where there is no such member.
  func optionalString(_ name: String) throws(SettingRefusal) -> String? {
    switch members[name] {
    case nil: return nil
    case .string(let text)?: return text
    case .bool?, .number?, .list?, .object?:
      throw SettingRefusal("\(title) has \"\(name)\" that is no text; write it in quotation marks")
    }
  }

  /// The text of a member that must be there.
  func string(_ name: String) throws(SettingRefusal) -> String {
    guard let text = try optionalString(name) else {
      throw SettingRefusal("\(title) has no \"\(name)\"; add it")
    }
    return text
  }
}
