/// The one answer to one command (S-123, S-148). All commands have this shape; absent fields are not written.
package struct CommandAck: Hashable, Sendable {
  /// The id of the command.
  package let id: String
  package let result: CommandResult
  package let reason: FailureReason?
  /// One sentence for people.
  package let message: String?
  /// The number of the dictation that the command started or acted on.
  package let dictation: UInt64?
  /// The stable name of the error (S-21), where `result` is `failed` or `notListening`.
  package let errorKind: String?
  /// Where the running dictation stands, where `result` is `busy`.
  package let phase: DictationPhase?
  /// The text asked for (`last`, `transcribe`).
  package let text: String?
  /// The engine that spoke it.
  package let engine: String?
  /// The answer to `status`.
  package let status: DaemonStatus?

  package init(
    id: String, result: CommandResult, reason: FailureReason? = nil, message: String? = nil,
    dictation: UInt64? = nil, errorKind: String? = nil, phase: DictationPhase? = nil, text: String? = nil,
    engine: String? = nil, status: DaemonStatus? = nil
  ) {
    self.id = id
    self.result = result
    self.reason = reason
    self.message = message
    self.dictation = dictation
    self.errorKind = errorKind
    self.phase = phase
    self.text = text
    self.engine = engine
    self.status = status
  }

  /// The same answer to the command with that id.
  package func with(id: String) -> CommandAck {
    CommandAck(
      id: id, result: result, reason: reason, message: message, dictation: dictation, errorKind: errorKind,
      phase: phase, text: text, engine: engine, status: status)
  }

  var json: JSONValue {
    var members: JSONObject = ["id": .string(id), "result": .string(result.rawValue)]
    members.set("reason", reason?.rawValue)
    members.set("message", message)
    members.set("dictation", dictation)
    members.set("errorKind", errorKind)
    members.set("phase", phase?.rawValue)
    members.set("text", text)
    members.set("engine", engine)
    members.set("status", status?.members)
    return .object(["ack": .object(members)])
  }

  /// Reads the object under `ack`. A result that only a newer daemon knows reads as `failed`.
  init(fields: WireObject) throws {
    guard let id = try fields.string("id"), let result = try fields.string("result") else {
      throw WireObject.WrongType(field: "ack", expected: "an object with id and result")
    }
    self.init(
      id: id, result: CommandResult(rawValue: result) ?? .failed,
      reason: try fields.string("reason").map { FailureReason(wire: $0) }, message: try fields.string("message"),
      dictation: try fields.count("dictation"), errorKind: try fields.string("errorKind"),
      phase: try fields.string("phase").flatMap { DictationPhase(rawValue: $0) }, text: try fields.string("text"),
      engine: try fields.string("engine"), status: try fields.object("status").map { try DaemonStatus(fields: $0) })
  }
}
