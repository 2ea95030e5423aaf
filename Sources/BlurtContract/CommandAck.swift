/// The one answer to one command (S-123, S-148). All commands have this shape; absent fields are not written.
package struct CommandAck: Hashable, Sendable {
  /// The id of the command.
  package var id: String
  package var result: CommandResult
  package var reason: FailureReason?
  /// One sentence for people.
  package var message: String?
  /// The number of the dictation that the command started or acted on.
  package var dictation: UInt64?
  /// The stable name of the error (S-21), where `result` is `failed` or `notListening`.
  package var errorKind: String?
  /// What is to blame for a transcription that failed.
  package var errorCause: String?
  /// Where the running dictation stands, where `result` is `busy`.
  package var phase: DictationPhase?
  /// The text asked for (`last`, `transcribe`).
  package var text: String?
  /// The engine that spoke it.
  package var engine: String?
  /// The answer to `status`.
  package var status: DaemonStatus? {
    get { boxedStatus.value }
    set { boxedStatus = Boxed(newValue) }
  }
  /// Apart: it is large, few answers have one, and answers are handed on several times.
  private var boxedStatus = Boxed<DaemonStatus>(nil)
  /// The answer to `wait`.
  package var outcome: DictationOutcome? {
    get { boxedOutcome.value }
    set { boxedOutcome = Boxed(newValue) }
  }
  private var boxedOutcome = Boxed<DictationOutcome>(nil)
  /// The id of the kept recording that the command acts on (`retry`, `discard`).
  package var recording: String?
  /// The answer to `recent`, newest first.
  package var recent: [RecentEntry]?
  /// The answer to `spool`, newest first.
  package var recordings: [RecordingEntry]?
  /// The answer to `settings`, and to `set` and `unset` the setting as it is now.
  package var settings: [SettingEntry]?
  /// The answer to `keys`, and to `setKey` the keys that were changed.
  package var keys: [KeyEntry]?
  /// The answer to `doctor`.
  package var checks: [DoctorCheck]?
  /// The answer to `reset`: what was done, and what survived.
  package var steps: [ResetStep]?
  /// The answer to `devices`.
  package var devices: [DeviceEntry]?
  /// The answer to `sounds`.
  package var sounds: [SoundEntry]?
  /// The answer to `apiKey`, `setApiKey` and `clearApiKey`: what is stored afterwards.
  package var apiKey: APIKeyStatus? {
    get { boxedAPIKey.value }
    set { boxedAPIKey = Boxed(newValue) }
  }
  private var boxedAPIKey = Boxed<APIKeyStatus>(nil)

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
    var copy = self
    copy.id = id
    return copy
  }

  /// The answer as one line with its newline.
  var line: [UInt8] {
    isPlain ? plainLine : json.line + [UInt8(ascii: "\n")]
  }

  /// Whether it consists of nothing but what answers a command of the session.
  private var isPlain: Bool {
    errorCause == nil && text == nil && engine == nil && status == nil && outcome == nil && recording == nil
      && recent == nil
      && recordings == nil && settings == nil && keys == nil && checks == nil && steps == nil
      && devices == nil && sounds == nil && apiKey == nil
  }

  /// What `json` writes, without the tree: a client waits for this one.
  private var plainLine: [UInt8] {
    var writer = JSONWriter()
    writer.write(raw: "{\"ack\":{")
    if let dictation {
      writer.write(raw: "\"dictation\":")
      writer.write(.integer(Int64(clamping: dictation)))
      writer.write(raw: ",")
    }
    if let errorKind { writer.write(member: "errorKind", errorKind) }
    writer.write(member: "id", id)
    if let message { writer.write(member: "message", message) }
    if let phase { writer.write(member: "phase", phase.rawValue) }
    if let reason { writer.write(member: "reason", reason.rawValue) }
    writer.write(raw: "\"result\":")
    writer.write(.string(result.rawValue))
    writer.write(raw: "}}\n")
    return writer.bytes
  }

  var json: JSONValue {
    var members: JSONObject = ["id": .string(id), "result": .string(result.rawValue)]
    members.set("reason", reason?.rawValue)
    members.set("message", message)
    members.set("dictation", dictation)
    members.set("errorKind", errorKind)
    members.set("errorCause", errorCause)
    members.set("phase", phase?.rawValue)
    members.set("text", text)
    members.set("engine", engine)
    members.set("status", status?.members)
    members.set("outcome", outcome?.members)
    members.set("recording", recording)
    members.set("recent", recent?.map(\.members))
    members.set("recordings", recordings?.map(\.members))
    members.set("settings", settings?.map(\.members))
    members.set("keys", keys?.map(\.members))
    members.set("checks", checks?.map(\.members))
    members.set("steps", steps?.map(\.members))
    members.set("devices", devices?.map(\.members))
    members.set("sounds", sounds?.map(\.members))
    members.set("apiKey", apiKey?.members)
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
    errorCause = try fields.string("errorCause")
    outcome = try fields.object("outcome").map { try DictationOutcome(fields: $0) }
    recording = try fields.string("recording")
    recent = try fields.objects("recent")?.map { try RecentEntry(fields: $0) }
    recordings = try fields.objects("recordings")?.map { try RecordingEntry(fields: $0) }
    settings = try fields.objects("settings")?.map { try SettingEntry(fields: $0) }
    keys = try fields.objects("keys")?.map { try KeyEntry(fields: $0) }
    checks = try fields.objects("checks")?.map { try DoctorCheck(fields: $0) }
    steps = try fields.objects("steps")?.map { try ResetStep(fields: $0) }
    devices = try fields.objects("devices")?.map { try DeviceEntry(fields: $0) }
    sounds = try fields.objects("sounds")?.map { try SoundEntry(fields: $0) }
    apiKey = try fields.object("apiKey").map { try APIKeyStatus(fields: $0) }
  }
}
