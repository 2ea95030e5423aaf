/// How one of the daemon's devices is: the hotkey, the microphone, the display.
package struct PartStatus: Hashable, Sendable {
  /// It can be used now; absent where nobody has looked.
  package var ready: Bool?
  /// What it is called.
  package var device: String?
  /// What to do so that it becomes ready.
  package var hint: String?

  package init(ready: Bool? = nil, device: String? = nil, hint: String? = nil) {
    self.ready = ready
    self.device = device
    self.hint = hint
  }

  var members: JSONObject {
    var members: JSONObject = [:]
    members.set("ready", ready)
    members.set("device", device)
    members.set("hint", hint)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      ready: try fields.bool("ready"), device: try fields.string("device"), hint: try fields.string("hint"))
  }
}
