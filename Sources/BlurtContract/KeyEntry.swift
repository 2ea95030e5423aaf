/// One trigger key with all that a client needs to show and to change it.
package struct KeyEntry: Hashable, Sendable {
  /// Its evdev name, such as `KEY_RIGHTCTRL`.
  package var key: String
  /// Its evdev code.
  package var code: Int
  /// What people call it.
  package var label: String
  /// `off`, `dictate`, `readAloud` or `ask`.
  package var choice: String
  /// The id of the style that its presses dictate in; nil for the base, and where it does not dictate.
  package var style: String?
  /// The name of that style.
  package var styleName: String?
  /// `TapOrHold`, `Tap` or `Hold`.
  package var activation: String
  /// It is *the* key: its style is the active one.
  package var isBound: Bool
  /// It is one of the few that are offered; the others work when they are named.
  package var isOffered: Bool
  /// Why it may get in the user's way, or does not do what it is told; one sentence each.
  package var warnings: [String]?

  package init(
    key: String, code: Int, label: String, choice: String, style: String? = nil, styleName: String? = nil,
    activation: String, isBound: Bool, isOffered: Bool, warnings: [String]? = nil
  ) {
    self.key = key
    self.code = code
    self.label = label
    self.choice = choice
    self.style = style
    self.styleName = styleName
    self.activation = activation
    self.isBound = isBound
    self.isOffered = isOffered
    self.warnings = warnings
  }

  var members: JSONObject {
    var members: JSONObject = [
      "key": .string(key), "code": .integer(Int64(code)), "label": .string(label), "choice": .string(choice),
      "activation": .string(activation), "isBound": .bool(isBound), "isOffered": .bool(isOffered),
    ]
    members.set("style", style)
    members.set("styleName", styleName)
    members.set("warnings", warnings)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      key: try fields.string("key") ?? "", code: try fields.count("code").map { Int(clamping: $0) } ?? 0,
      label: try fields.string("label") ?? "", choice: try fields.string("choice") ?? "",
      style: try fields.string("style"), styleName: try fields.string("styleName"),
      activation: try fields.string("activation") ?? "", isBound: try fields.bool("isBound") ?? false,
      isOffered: try fields.bool("isOffered") ?? false, warnings: try fields.strings("warnings"))
  }
}
