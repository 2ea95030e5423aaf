/// A change of some entries of a setting, without the rest of it (`edit`).
package struct EntryChange: Hashable, Sendable {
  package let setting: String
  /// The entries to add, or to put in the places of those with the same names: a list, or an object where the setting is
  /// one.
  package let put: JSONValue?
  /// The names of entries to remove.
  package let remove: [String]
  /// The entries with all those names as they must stand, in the form of `put`; nil: whatever stands there.
  package let expected: JSONValue?

  package init(setting: String, put: JSONValue? = nil, remove: [String] = [], expected: JSONValue? = nil) {
    self.setting = setting
    self.put = put
    self.remove = remove
    self.expected = expected
  }
}
