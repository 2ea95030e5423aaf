/// How a dictation, or a recording that was sent again, has ended: the answer to `wait`.
package struct DictationOutcome: Hashable, Sendable {
  /// The number of the dictation; absent for a recording that was sent again.
  package var dictation: UInt64?
  /// The id of the recording that was sent again.
  package var recording: String?
  /// The last phase of the dictation; absent for a recording.
  package var phase: DictationPhase?
  /// What was said. Absent where nothing was.
  package var text: String?
  /// The engine that spoke.
  package var engine: String?
  /// The engine that should have spoken and failed.
  package var fellBackFrom: String?
  /// The stable name of the error (S-21).
  package var errorKind: String?
  /// What is to blame for a transcription that failed.
  package var errorCause: String?
  /// One sentence for people about a failure.
  package var message: String?

  package init(
    dictation: UInt64? = nil, recording: String? = nil, phase: DictationPhase? = nil, text: String? = nil,
    engine: String? = nil, fellBackFrom: String? = nil, errorKind: String? = nil,
    errorCause: String? = nil, message: String? = nil
  ) {
    self.dictation = dictation
    self.recording = recording
    self.phase = phase
    self.text = text
    self.engine = engine
    self.fellBackFrom = fellBackFrom
    self.errorKind = errorKind
    self.errorCause = errorCause
    self.message = message
  }

  /// As the wire has it, also for `blurtctl --json`.
  package var members: JSONObject {
    var members: JSONObject = [:]
    members.set("dictation", dictation)
    members.set("recording", recording)
    members.set("phase", phase?.rawValue)
    members.set("text", text)
    members.set("engine", engine)
    members.set("fellBackFrom", fellBackFrom)
    members.set("errorKind", errorKind)
    members.set("errorCause", errorCause)
    members.set("message", message)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      dictation: try fields.count("dictation"), recording: try fields.string("recording"),
      phase: try fields.string("phase").flatMap { DictationPhase(rawValue: $0) }, text: try fields.string("text"),
      engine: try fields.string("engine"), fellBackFrom: try fields.string("fellBackFrom"),
      errorKind: try fields.string("errorKind"), errorCause: try fields.string("errorCause"),
      message: try fields.string("message"))
  }
}
