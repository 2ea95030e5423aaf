/// What a client that knows its own text field says of it with its press (C-96). Texts are cut to their limits later.
package struct PressContext: Hashable, Sendable {
  /// The text before the caret; empty where nothing is there, nil where that is not known.
  package var before: String?
  package var selected: String?
  package var label: String?
  package var title: String?
  /// A field whose text nobody may remember, such as a password.
  package var isSecure: Bool

  package init(
    before: String? = nil, selected: String? = nil, label: String? = nil, title: String? = nil, isSecure: Bool = false
  ) {
    self.before = before
    self.selected = selected
    self.label = label
    self.title = title
    self.isSecure = isSecure
  }

  var json: JSONObject {
    var members = JSONObject()
    members.set("before", before)
    members.set("selected", selected)
    members.set("label", label)
    members.set("title", title)
    if isSecure { members["secure"] = true }
    return members
  }

  init(_ fields: WireObject) throws(WireObject.WrongType) {
    before = try fields.string("before")
    selected = try fields.string("selected")
    label = try fields.string("label")
    title = try fields.string("title")
    isSecure = try fields.bool("secure") ?? false
  }
}
