/// One remembered dictation (S-93, S-94). In the daemon's memory only.
package struct RecentEntry: Hashable, Sendable {
  /// Unique in the life of the daemon.
  package var id: UInt64
  /// What was inserted, or was to be.
  package var text: String
  /// The style's display name; absent for base styling.
  package var style: String?
  /// When it was inserted: ISO 8601 in UTC.
  package var at: String

  package init(id: UInt64, text: String, style: String?, at: String) {
    self.id = id
    self.text = text
    self.style = style
    self.at = at
  }

  var members: JSONObject {
    var members: JSONObject = ["text": .string(text), "at": .string(at)]
    members.set("id", id)
    members.set("style", style)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      id: try fields.count("id") ?? 0, text: try fields.string("text") ?? "", style: try fields.string("style"),
      at: try fields.string("at") ?? "")
  }
}
