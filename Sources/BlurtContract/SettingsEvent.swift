/// Settings have changed, by a client or by an edit of the file. Names only; `settings` gives the values.
package struct SettingsEvent: Hashable, Sendable {
  /// The keys in the settings file, sorted.
  package var settings: [String]

  package init(settings: [String]) { self.settings = settings }

  var members: JSONObject {
    var members: JSONObject = [:]
    members.set("settings", settings)
    return members
  }

  init(fields: WireObject) throws { self.init(settings: try fields.strings("settings") ?? []) }
}
