/// A text is on its way to the user (S-75). Sent before it is inserted, so it comes even where the paste then fails.
package struct DeliveryEvent: Hashable, Sendable {
  package var dictation: UInt64?
  /// The engine that spoke.
  package var engine: String?
  /// The engine that should have spoken and failed.
  package var fellBackFrom: String?
  /// What was said; only for a watcher that asked for results (S-150).
  package var text: String?
  /// The kept recording that was sent again; absent for a dictation.
  package var recording: String?

  package init(
    dictation: UInt64?, engine: String?, fellBackFrom: String? = nil, text: String?, recording: String? = nil
  ) {
    self.dictation = dictation
    self.engine = engine
    self.fellBackFrom = fellBackFrom
    self.text = text
    self.recording = recording
  }

  var members: JSONObject {
    var members: JSONObject = [:]
    members.set("dictation", dictation)
    members.set("engine", engine)
    members.set("fellBackFrom", fellBackFrom)
    members.set("text", text)
    members.set("recording", recording)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      dictation: try fields.count("dictation"), engine: try fields.string("engine"),
      fellBackFrom: try fields.string("fellBackFrom"), text: try fields.string("text"),
      recording: try fields.string("recording"))
  }
}
