/// One kept recording, as `spool` lists it.
package struct RecordingEntry: Hashable, Sendable {
  /// The name for `retry` and `discard`; sorts by time.
  package var id: String
  /// `recording` (now), `failed`, `interrupted`, `blank`, `recoveryCancelled` or `delivered`.
  package var state: String
  /// When it began: ISO 8601 in UTC.
  package var startedAt: String
  package var durationMilliseconds: Int
  package var byteCount: Int
  /// Whether every captured byte could be written.
  package var isComplete: Bool
  /// The sound as raw 16 kHz mono S16LE.
  package var path: String
  /// The program that had the focus.
  package var target: String?
  /// The engine that was, or was to be, asked.
  package var engine: String?
  /// The stable name of the error (S-21) that kept it.
  package var errorKind: String?
  /// What is to blame for a transcription that failed.
  package var errorCause: String?
  package var message: String?

  package init(
    id: String, state: String, startedAt: String, durationMilliseconds: Int, byteCount: Int, isComplete: Bool,
    path: String, target: String? = nil, engine: String? = nil, errorKind: String? = nil,
    errorCause: String? = nil, message: String? = nil
  ) {
    self.id = id
    self.state = state
    self.startedAt = startedAt
    self.durationMilliseconds = durationMilliseconds
    self.byteCount = byteCount
    self.isComplete = isComplete
    self.path = path
    self.target = target
    self.engine = engine
    self.errorKind = errorKind
    self.errorCause = errorCause
    self.message = message
  }

  var members: JSONObject {
    var members: JSONObject = [
      "id": .string(id), "state": .string(state), "startedAt": .string(startedAt), "path": .string(path),
    ]
    members.set("durationMs", durationMilliseconds)
    members.set("byteCount", byteCount)
    members.set("isComplete", isComplete)
    members.set("target", target)
    members.set("engine", engine)
    members.set("errorKind", errorKind)
    members.set("errorCause", errorCause)
    members.set("message", message)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      id: try fields.string("id") ?? "", state: try fields.string("state") ?? "",
      startedAt: try fields.string("startedAt") ?? "",
      durationMilliseconds: Int(clamping: try fields.count("durationMs") ?? 0),
      byteCount: Int(clamping: try fields.count("byteCount") ?? 0), isComplete: try fields.bool("isComplete") ?? true,
      path: try fields.string("path") ?? "", target: try fields.string("target"), engine: try fields.string("engine"),
      errorKind: try fields.string("errorKind"), errorCause: try fields.string("errorCause"),
      message: try fields.string("message"))
  }
}
