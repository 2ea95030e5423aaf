internal import BlurtContract

/// A setting that is made of entries, as the verbs `terms`, `styles` and `shortcuts` change it.
protocol EntryList {
  static var setting: String { get }

  /// The entries of the value in force, and the limits that the daemon told.
  init(_ setting: SettingEntry)

  /// The whole value; nil where no entry is left: then the setting goes back to its default.
  var value: JSONValue? { get }
  /// The entries as `edit` takes them.
  var entries: [JSONValue] { get }

  /// The name by which `edit` removes an entry.
  static func name(of entry: JSONValue) -> String
}
