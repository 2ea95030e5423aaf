/// Something the user should know that is no phase: a clip that was too short, a clipboard that was not restored.
package struct NoticeEvent: Hashable, Sendable {
  /// The stable name, a camelCase word (`tooShort`, `clipboardKept`).
  package var notice: String
  /// One sentence for people. Never text that was spoken.
  package var message: String?
  package var dictation: UInt64?

  package init(notice: String, message: String? = nil, dictation: UInt64? = nil) {
    self.notice = notice
    self.message = message
    self.dictation = dictation
  }

  var members: JSONObject {
    var members: JSONObject = ["notice": .string(notice)]
    members.set("message", message)
    members.set("dictation", dictation)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      notice: try fields.string("notice") ?? "", message: try fields.string("message"),
      dictation: try fields.count("dictation"))
  }
}
