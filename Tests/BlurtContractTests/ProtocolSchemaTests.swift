import BlurtContract
import BlurtTestSupport
import Testing

/// The schemas in `protocol/schema` against the code and the transcripts.
@Suite struct ProtocolSchemaTests {
  private let command: JSONSchemaSubset
  private let ack: JSONSchemaSubset
  private let event: JSONSchemaSubset
  private let error: JSONSchemaSubset
  private let readiness: JSONSchemaSubset
  private let transcripts: [ProtocolTranscript]

  init() throws {
    command = try .named("command")
    ack = try .named("ack")
    event = try .named("event")
    error = try .named("error")
    readiness = try .named("readiness")
    transcripts = try ProtocolTranscript.all()
  }

  private func json(_ line: [UInt8]) throws -> JSONValue {
    try JSONReader.read(line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line)
  }

  private func describing(_ line: JSONValue) -> JSONSchemaSubset? {
    if line.object?["ack"] != nil { return ack }
    if line.object?["error"] != nil { return error }
    return line.object?["event"] == nil ? nil : event
  }

  // MARK: Transcripts

  @Test("S-148 S-150 every line of the daemon in a transcript is described, member by member")
  func daemonLines() throws {
    var count = 0
    for transcript in transcripts {
      for case .daemon(let line) in transcript.steps {
        count += 1
        let schema = try #require(describing(line), "\(transcript.name)")
        #expect(schema.faults(in: line, .strict, wildcard: "<any>") == [], "\(transcript.name)")
      }
    }
    #expect(count > 40)
  }

  @Test("S-147 the schema takes a line of a client in a transcript exactly if the daemon does")
  func clientLines() throws {
    var strangers: [String] = []
    for transcript in transcripts {
      for case .client(let line) in transcript.steps {
        let bytes = Array(line.utf8)
        let value = try? JSONReader.read(bytes)
        let isRead = (try? MessageCoder.command(from: bytes)) != nil
        let faults = value.map { command.faults(in: $0) } ?? ["it is not JSON"]
        #expect(faults.isEmpty == isRead, "\(transcript.name): \(line) \(faults)")
        if isRead, let value, !command.faults(in: value, .strict).isEmpty { strangers.append(line) }
      }
    }
    // The one that shows that unknown members are skipped.
    #expect(strangers == [#"{"id":"3","cmd":"release","colour":"red"}"#])
  }

  // MARK: Commands

  @Test("S-147 what the daemon refuses of a command's fields the schema refuses, and what it takes the schema takes")
  func commandFields() throws {
    let good = [
      #"{"id":"1","cmd":"press","leaseMs":500}"#, #"{"id":"1","cmd":"press","leaseMs":10000,"lease":false}"#,
      #"{"id":"1","cmd":"press","context":{}}"#, #"{"id":"1","cmd":"press","context":{"before":"","secure":false}}"#,
      #"{"id":"1","cmd":"press","deadlineMs":-5}"#, #"{"id":"1","cmd":"discard","recording":"a","all":false}"#,
      #"{"id":"1","cmd":"set","setting":"a","value":false,"expected":null}"#,
      #"{"id":"1","cmd":"set","setting":"a","value":{"x":[1]}}"#, #"{"id":"1","cmd":"unset","setting":"a"}"#,
      #"{"id":"1","cmd":"edit","setting":"a","put":{"b":1}}"#, #"{"id":"1","cmd":"edit","setting":"a","remove":["b"]}"#,
      #"{"id":"1","cmd":"recent","count":0}"#, #"{"id":"1","cmd":"wait"}"#, #"{"id":"1","cmd":"doctor","new":1}"#,
    ]
    let bad = [
      #"{"cmd":"press"}"#, #"{"id":"","cmd":"press"}"#, #"{"id":1,"cmd":"press"}"#, #"{"id":"1"}"#,
      #"{"id":"1","cmd":"dance"}"#, #"{"id":"1","cmd":"press","key":-1}"#, #"{"id":"1","cmd":"press","key":1.0}"#,
      #"{"id":"1","cmd":"press","lease":1}"#, #"{"id":"1","cmd":"press","leaseMs":499}"#,
      #"{"id":"1","cmd":"press","leaseMs":10001}"#, #"{"id":"1","cmd":"press","client":1}"#,
      #"{"id":"1","cmd":"press","context":"a"}"#, #"{"id":"1","cmd":"press","context":{"before":1}}"#,
      #"{"id":"1","cmd":"press","context":{"secure":"yes"}}"#,
      #"{"id":"1","cmd":"press","deadlineMs":1.5}"#, #"{"id":"1","cmd":"toggle","deadlineMs":"1"}"#,
      #"{"id":"1","cmd":"watch","levels":"yes"}"#, #"{"id":"1","cmd":"wait","dictation":1,"recording":"a"}"#,
      #"{"id":"1","cmd":"presence","onScreen":1}"#, #"{"id":"1","cmd":"recent","count":-1}"#,
      #"{"id":"1","cmd":"transcribe"}"#, #"{"id":"1","cmd":"transcribe","path":"a.wav"}"#,
      #"{"id":"1","cmd":"retry","recording":5}"#, #"{"id":"1","cmd":"discard"}"#,
      #"{"id":"1","cmd":"discard","all":false}"#, #"{"id":"1","cmd":"discard","recording":"a","all":true}"#,
      #"{"id":"1","cmd":"set","setting":"a"}"#, #"{"id":"1","cmd":"set","setting":"a","value":null}"#,
      #"{"id":"1","cmd":"set","setting":"","value":1}"#, #"{"id":"1","cmd":"set","value":1}"#,
      #"{"id":"1","cmd":"unset"}"#,
      #"{"id":"1","cmd":"setKey","key":97}"#, #"{"id":"1","cmd":"setKey","key":"KEY_F13","only":1}"#,
      #"{"id":"1","cmd":"edit","setting":"a","put":"b"}"#,
      #"{"id":"1","cmd":"doctor","record":"yes"}"#,
      #"{"id":"1","cmd":"setApiKey"}"#, #"{"id":"1","cmd":"setApiKey","key":5}"#,
      #"{"id":"1","cmd":"apiKey","check":1}"#, #"{"id":"1","cmd":"clearApiKey","engine":1}"#,
      #"{"id":"1","cmd":"transcribe","path":"/a","engine":1}"#,
    ]
    for line in good {
      #expect(command.faults(in: try json(Array(line.utf8))) == [], "\(line)")
      #expect(throws: Never.self, "\(line)") { try MessageCoder.command(from: Array(line.utf8)) }
    }
    for line in bad {
      #expect(command.faults(in: try json(Array(line.utf8))) != [], "\(line)")
      #expect(throws: MalformedCommand.self, "\(line)") { try MessageCoder.command(from: Array(line.utf8)) }
    }
  }

  @Test("S-147 each command has one definition with exactly the fields that the coder writes")
  func commandDefinitions() throws {
    let names = ClientCommand.Name.allCases.map(\.rawValue)
    #expect(strings(command.root["properties"]?.object?["cmd"]?.object?["enum"]) == names)
    #expect(references(command) == names)
    #expect(Set(WireSamples.commands.map(\.action.name)) == Set(ClientCommand.Name.allCases))
    for name in ClientCommand.Name.allCases {
      let samples = WireSamples.commands.filter { $0.action.name == name }
      var written: Set<String> = []
      for sample in samples {
        let value = try json(MessageCoder.encode(sample))
        #expect(command.faults(in: value, .strict) == [])
        written.formUnion(value.object?.keys ?? [])
      }
      let described = try #require(command.definition(name.rawValue)?["properties"]?.object)
      #expect(described["cmd"]?.object?["const"] == .string(name.rawValue))
      #expect(written == Set(described.keys).union(["id", "cmd", "client"]), "\(name)")
      #expect(described.members.allSatisfy { isDescribed($0.key, $0.value) }, "\(name)")
    }
  }

  @Test("Y-120 a field that is absent means its documented default")
  func defaults() throws {
    let required: [ClientCommand.Name: String] = [.discard: #","recording":"a""#]
    var count = 0
    for name in ClientCommand.Name.allCases {
      for field in command.definition(name.rawValue)?["properties"]?.object?.members ?? [] {
        guard let value = field.value.object?["default"] else { continue }
        count += 1
        let line = #"{"id":"1","cmd":"\#(name.rawValue)"\#(required[name] ?? "")"#
        let given = #"\#(line),"\#(field.key)":\#(String(decoding: value.line, as: UTF8.self))}"#
        #expect(
          try MessageCoder.command(from: Array((line + "}").utf8))
            == MessageCoder.command(from: Array(given.utf8)), "\(given)")
      }
    }
    #expect(count == 9)
  }

  // MARK: The daemon's lines

  @Test("S-148 an answer and all that it can hold is described, field by field, as the coder writes it")
  func answers() throws {
    #expect(WireSamples.emptyFields(WireSamples.ack) == [])
    let line = try json(MessageCoder.encode(WireSamples.ack))
    #expect(ack.faults(in: line, .strict) == [])
    let answer = try #require(line.object?["ack"]?.object)
    func first(_ name: String) -> JSONObject? {
      guard case .array(let values)? = answer[name] else { return nil }
      return values.first?.object
    }
    let status = answer["status"]?.object
    let parts: [(String, JSONObject?)] = [
      ("ack", answer), ("status", status), ("part", status?["hotkey"]?.object),
      ("part", status?["microphone"]?.object), ("part", status?["display"]?.object),
      ("spoolStatus", status?["spool"]?.object), ("outcome", answer["outcome"]?.object),
      ("recentEntry", first("recent")), ("recordingEntry", first("recordings")), ("settingEntry", first("settings")),
      ("keyEntry", first("keys")), ("doctorCheck", first("checks")), ("resetStep", first("steps")),
      ("apiKeyStatus", answer["apiKey"]?.object),
    ]
    for (name, written) in parts {
      let described = try #require(ack.definition(name)?["properties"]?.object)
      #expect(try #require(written).keys == described.keys, "\(name)")
      #expect(described.members.allSatisfy { isDescribed($0.key, $0.value) }, "\(name)")
    }
    // The least that each can be is valid as well: what is required is always written.
    var least = CommandAck(id: "1", result: .done, status: DaemonStatus())
    least.outcome = DictationOutcome()
    least.recent = [RecentEntry(id: 1, text: "", style: nil, at: "")]
    least.recordings = [
      RecordingEntry(
        id: "", state: "blank", startedAt: "", durationMilliseconds: 0, byteCount: 0, isComplete: false, path: "")
    ]
    least.settings = [
      SettingEntry(setting: "", type: "list", value: .null, defaultValue: .null, isSet: false, summary: "")
    ]
    least.keys = [
      KeyEntry(key: "", code: 0, label: "", choice: "off", activation: "Tap", isBound: false, isOffered: false)
    ]
    least.checks = [DoctorCheck("a", .ok, "")]
    least.steps = [ResetStep("a", .removed)]
    least.apiKey = APIKeyStatus(engine: "", connected: false, display: "")
    #expect(ack.faults(in: try json(MessageCoder.encode(least)), .strict) == [])
  }

  @Test("S-150 each event has one definition with exactly the fields that the coder writes")
  func events() throws {
    let names = SessionEvent.Name.allCases.map(\.rawValue)
    #expect(strings(event.root["properties"]?.object?["event"]?.object?["enum"]) == names)
    #expect(references(event) == names)
    #expect(WireSamples.events.map(\.name) == SessionEvent.Name.allCases)
    for sample in WireSamples.events {
      #expect(WireSamples.emptyFields(sample) == [])
      let value = try json(MessageCoder.encode(sample))
      #expect(event.faults(in: value, .strict) == [])
      let described = try #require(event.definition(sample.name.rawValue)?["properties"]?.object)
      #expect(value.object?.keys == described.keys, "\(sample.name)")
      #expect(described.members.allSatisfy { isDescribed($0.key, $0.value) }, "\(sample.name)")
    }
  }

  @Test("S-120 S-146 the readiness record and the error object are described as they are written")
  func others() throws {
    #expect(WireSamples.emptyFields(WireSamples.readiness) == [])
    let record = try json(WireSamples.readiness.line)
    #expect(readiness.faults(in: record, .strict) == [])
    #expect(record.object?.keys == readiness.root["properties"]?.object?.keys)
    let object = try json(MessageCoder.encode(WireSamples.error))
    #expect(error.faults(in: object, .strict) == [])
    #expect(object.object?["error"]?.object?.keys == properties(error.root, "error")?["properties"]?.object?.keys)
  }

  // MARK: Words

  @Test("S-123 S-128 Y-125 every list of words in the schemas is that of the code, in its order")
  func words() throws {
    let phases = DictationPhase.allCases.map(\.rawValue)
    let windows = ListeningState.allCases.map(\.rawValue)
    let inAnswers = try #require(ack.definition("ack"))
    let inStatus = try #require(ack.definition("status"))
    #expect(strings(properties(inAnswers, "result")?["enum"]) == CommandResult.allCases.map(\.rawValue))
    #expect(strings(ack.definition("phase")?["enum"]) == phases)
    #expect(strings(event.definition("phase").flatMap { properties($0, "phase") }?["enum"]) == phases)
    #expect(strings(properties(inStatus, "window")?["enum"]) == windows)
    #expect(strings(event.definition("listening").flatMap { properties($0, "state") }?["enum"]) == windows)
    #expect(strings(properties(readiness.root, "state")?["enum"]) == windows)
    #expect(
      strings(ack.definition("doctorCheck").flatMap { properties($0, "state") }?["enum"])
        == DoctorCheck.State.allCases.map(\.rawValue))
    #expect(
      strings(ack.definition("resetStep").flatMap { properties($0, "state") }?["enum"])
        == ResetStep.State.allCases.map(\.rawValue))
    #expect(
      strings(ack.definition("errorKind")?["enum"])
        == strings(event.definition("phase").flatMap { properties($0, "errorKind") }?["enum"]))
    #expect(
      strings(ack.definition("errorCause")?["enum"])
        == strings(event.definition("phase").flatMap { properties($0, "errorCause") }?["enum"]))
  }

  @Test("Y-125 each reason stands in the schemas of what can carry it")
  func reasons() throws {
    let ofLines: [FailureReason] = [.lineTooLong, .invalidLine, .tooManyClients]
    let ofAnswers = FailureReason.allCases.filter { !ofLines.contains($0) && $0 != .noDaemon }
    #expect(strings(properties(error.root, "error").flatMap { properties($0, "reason") }?["enum"]) == names(ofLines))
    #expect(strings(ack.definition("reason")?["enum"]) == names(ofAnswers))
    // Why a press is refused comes first in the list, up to the first that is about a request.
    let ofPresses = Array(ofAnswers.prefix { $0 != .unknownCommand })
    #expect(ofPresses.last == .fault)
    #expect(strings(properties(readiness.root, "reason")?["enum"]) == names(ofPresses))
    #expect(strings(event.definition("listening").flatMap { properties($0, "reason") }?["enum"]) == names(ofPresses))
  }

  @Test("S-146 every number in the schemas is that of the code")
  func numbers() throws {
    let press = try #require(command.definition("press"))
    let lease = properties(press, "leaseMs")
    let limits = SessionContract.leaseHeartbeat
    #expect(lease?["minimum"] == .integer(Int64(limits.lowerBound / .milliseconds(1))))
    #expect(lease?["maximum"] == .integer(Int64(limits.upperBound / .milliseconds(1))))
    #expect(properties(command.root, "id")?["maxLength"] == .integer(Int64(SessionContract.longestIdentifier)))
    for schema in [command, ack, event, error, readiness] {
      #expect(
        schema.root["$id"]?.string?.hasPrefix("urn:blurt:protocol:\(SessionContract.protocolNumber):") == true)
    }
  }

  // MARK: Reading a schema

  private func properties(_ schema: JSONObject, _ name: String) -> JSONObject? {
    schema["properties"]?.object?[name]?.object
  }

  private func strings(_ value: JSONValue?) -> [String] {
    guard case .array(let values)? = value else { return [] }
    return values.compactMap(\.string)
  }

  private func names(_ reasons: [FailureReason]) -> [String] { reasons.map(\.rawValue) }

  /// The definitions that the choice at the root leads to, in order.
  private func references(_ schema: JSONSchemaSubset) -> [String] {
    guard case .array(let branches)? = schema.root["oneOf"] else { return [] }
    return branches.compactMap { $0.object?["$ref"]?.string.map { String($0.dropFirst("#/$defs/".count)) } }
  }

  /// Whether a property says in words what it is; the name of the message itself needs none.
  private func isDescribed(_ name: String, _ schema: JSONValue) -> Bool {
    let members = schema.object
    return members?["description"] != nil || members?["$ref"] != nil || members?["const"] != nil
  }
}
