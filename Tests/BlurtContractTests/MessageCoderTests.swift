import BlurtContract
import Testing

@Suite struct MessageCoderTests {
  private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
  private func bytes(_ line: String) -> [UInt8] { Array(line.utf8) }

  private func malformed(_ line: String) -> MalformedCommand? {
    do throws(MalformedCommand) {
      _ = try MessageCoder.command(from: bytes(line))
      return nil
    } catch {
      return error
    }
  }

  static let commands: [(ClientCommand, String)] = [
    (ClientCommand(id: "1", .press(key: nil, lease: false)), #"{"cmd":"press","id":"1"}"#),
    (
      ClientCommand(id: "2", .press(key: 97, lease: true), client: "gui", deadline: .milliseconds(12_345)),
      #"{"client":"gui","cmd":"press","deadlineMs":12345,"id":"2","key":97,"lease":true}"#
    ),
    (ClientCommand(id: "3", .release), #"{"cmd":"release","id":"3"}"#),
    (ClientCommand(id: "4", .cancel), #"{"cmd":"cancel","id":"4"}"#),
    (ClientCommand(id: "5", .cancelRecording), #"{"cmd":"cancelRecording","id":"5"}"#),
    (ClientCommand(id: "6", .toggle), #"{"cmd":"toggle","id":"6"}"#),
    (
      ClientCommand(id: "7", .watch(WatchOptions(levels: true))),
      #"{"cmd":"watch","id":"7","levels":true,"results":false}"#
    ),
    (ClientCommand(id: "8", .status), #"{"cmd":"status","id":"8"}"#),
    (ClientCommand(id: "9", .last), #"{"cmd":"last","id":"9"}"#),
    (ClientCommand(id: "é\n", .transcribe(path: "/a b.wav")), #"{"cmd":"transcribe","id":"é\n","path":"/a b.wav"}"#),
    (
      ClientCommand(id: "a", .press(key: nil, lease: .heartbeat(.milliseconds(500)))),
      #"{"cmd":"press","id":"a","lease":true,"leaseMs":500}"#
    ),
    (ClientCommand(id: "b", .wait(.newest)), #"{"cmd":"wait","id":"b"}"#),
    (ClientCommand(id: "c", .wait(.dictation(7))), #"{"cmd":"wait","dictation":7,"id":"c"}"#),
    (ClientCommand(id: "d", .wait(.recording("r1"))), #"{"cmd":"wait","id":"d","recording":"r1"}"#),
    (ClientCommand(id: "e", .presence(onScreen: true)), #"{"cmd":"presence","id":"e","onScreen":true}"#),
    (ClientCommand(id: "f", .recent(count: nil)), #"{"cmd":"recent","id":"f"}"#),
    (ClientCommand(id: "g", .recent(count: 100)), #"{"cmd":"recent","count":100,"id":"g"}"#),
    (ClientCommand(id: "h", .spool), #"{"cmd":"spool","id":"h"}"#),
    (ClientCommand(id: "i", .retry(recording: nil)), #"{"cmd":"retry","id":"i"}"#),
    (ClientCommand(id: "j", .retry(recording: "r1")), #"{"cmd":"retry","id":"j","recording":"r1"}"#),
    (ClientCommand(id: "k", .discard(recording: "r1")), #"{"cmd":"discard","id":"k","recording":"r1"}"#),
    (ClientCommand(id: "l", .discard(recording: nil)), #"{"all":true,"cmd":"discard","id":"l"}"#),
    (ClientCommand(id: "m", .settings(setting: nil)), #"{"cmd":"settings","id":"m"}"#),
    (ClientCommand(id: "n", .settings(setting: "A")), #"{"cmd":"settings","id":"n","setting":"A"}"#),
    (
      ClientCommand(id: "o", .set(setting: "A", value: false, expected: nil)),
      #"{"cmd":"set","id":"o","setting":"A","value":false}"#
    ),
    (
      ClientCommand(id: "p", .set(setting: "A", value: "b", expected: .null)),
      #"{"cmd":"set","expected":null,"id":"p","setting":"A","value":"b"}"#
    ),
    (
      ClientCommand(id: "q", .unset(setting: "A", expected: 1)), #"{"cmd":"unset","expected":1,"id":"q","setting":"A"}"#
    ),
    (
      ClientCommand(id: "qe", .edit(EntryChange(setting: "A", put: .object(["a": 1]), expected: .object([:])))),
      #"{"cmd":"edit","expected":{},"id":"qe","put":{"a":1},"setting":"A"}"#
    ),
    (
      ClientCommand(id: "qf", .edit(EntryChange(setting: "A", remove: ["a", "b"]))),
      #"{"cmd":"edit","id":"qf","remove":["a","b"],"setting":"A"}"#
    ),
    (ClientCommand(id: "r", .reset), #"{"cmd":"reset","id":"r"}"#),
    (ClientCommand(id: "x", .keys(key: nil)), #"{"cmd":"keys","id":"x"}"#),
    (ClientCommand(id: "y", .keys(key: "97")), #"{"cmd":"keys","id":"y","key":"97"}"#),
    (
      ClientCommand(id: "z", .setKey(KeyChange(key: "KEY_F13", choice: "dictate", isOnly: true))),
      #"{"choice":"dictate","cmd":"setKey","id":"z","key":"KEY_F13","only":true}"#
    ),
    (
      ClientCommand(id: "0", .setKey(KeyChange(key: "97", style: "mail", activation: "tap", isBound: true))),
      #"{"activation":"tap","bound":true,"cmd":"setKey","id":"0","key":"97","style":"mail"}"#
    ),
    (ClientCommand(id: "x", .devices), #"{"cmd":"devices","id":"x"}"#),
    (ClientCommand(id: "y", .sounds), #"{"cmd":"sounds","id":"y"}"#),
    (ClientCommand(id: "z", .playSound(pack: nil, cue: nil)), #"{"cmd":"playSound","id":"z"}"#),
    (
      ClientCommand(id: "z", .playSound(pack: "soft", cue: "stop")),
      #"{"cmd":"playSound","cue":"stop","id":"z","pack":"soft"}"#
    ),
    (ClientCommand(id: "s", .doctor(record: false)), #"{"cmd":"doctor","id":"s"}"#),
    (ClientCommand(id: "x", .apiKey(engine: nil, check: false)), #"{"cmd":"apiKey","id":"x"}"#),
    (
      ClientCommand(id: "y", .apiKey(engine: "openai", check: true)),
      #"{"check":true,"cmd":"apiKey","engine":"openai","id":"y"}"#
    ),
    (
      ClientCommand(id: "z", .setApiKey(key: WireSecret("k"), engine: nil)), #"{"cmd":"setApiKey","id":"z","key":"k"}"#
    ),
    (ClientCommand(id: "A", .clearApiKey(engine: nil)), #"{"cmd":"clearApiKey","id":"A"}"#),
    (
      ClientCommand(id: "B", .transcribe(path: "/a", engine: "offline")),
      #"{"cmd":"transcribe","engine":"offline","id":"B","path":"/a"}"#
    ),
    (ClientCommand(id: "t", .doctor(record: true)), #"{"cmd":"doctor","id":"t","record":true}"#),
    (
      ClientCommand(id: "u", .toggle, deadline: .milliseconds(Int64.max)),
      #"{"cmd":"toggle","deadlineMs":9223372036854775807,"id":"u"}"#
    ),
    (
      ClientCommand(id: "v", .toggle, deadline: .milliseconds(Int64.min)),
      #"{"cmd":"toggle","deadlineMs":-9223372036854775808,"id":"v"}"#
    ),
    (
      ClientCommand(id: "w", .toggle, deadline: .milliseconds(9_007_199_254_740_993)),
      #"{"cmd":"toggle","deadlineMs":9007199254740993,"id":"w"}"#
    ),
  ]

  @Test("S-147 every command is one line with sorted keys, and is read back", arguments: commands)
  func commandRoundTrip(_ command: ClientCommand, _ line: String) throws {
    #expect(text(MessageCoder.encode(command)) == line + "\n")
    #expect(try MessageCoder.command(from: bytes(line)) == command)
  }

  @Test("S-147 the test above knows every command")
  func everyCommand() {
    #expect(Set(Self.commands.map(\.0.action.name)) == Set(ClientCommand.Name.allCases))
  }

  @Test("Y-120 unknown fields are skipped; null is the same as absent; a carriage return is white space")
  func tolerance() throws {
    let line = "{\"id\":\"1\",\"cmd\":\"press\",\"future\":{\"a\":[1]},\"key\":null,\"lease\":null}\r"
    #expect(try MessageCoder.command(from: bytes(line)) == ClientCommand(id: "1", .press(key: nil, lease: false)))
  }

  @Test(
    "S-146 a line without a usable id is an error of the line",
    arguments: [
      "", "x", "[]", "null", "\"id\"", "{}", #"{"id":1,"cmd":"press"}"#, #"{"id":"","cmd":"press"}"#,
      #"{"cmd":"press"}"#, #"{"id":null,"cmd":"press"}"#, #"{"id":"1","cmd":"press",}"#,
      #"{"id":"1","id":"2","cmd":"press"}"#, "\u{feff}" + #"{"id":"1","cmd":"press"}"#,
      "{\"cmd\":\"press\",\"id\":\"" + String(repeating: "x", count: 129) + "\"}",
    ])
  func badLines(_ line: String) throws {
    guard case .line(let error) = try #require(malformed(line)) else {
      Issue.record("the line has an id")
      return
    }
    #expect(error.reason == .invalidLine)
    #expect(!error.message.isEmpty)
    #expect(text(MessageCoder.encode(error)).hasPrefix(#"{"error":{"message":"#))
  }

  @Test(
    "S-123 a line with an id is answered, whatever else is wrong with it",
    arguments: [
      (#"{"id":"1"}"#, FailureReason.badRequest), (#"{"id":"1","cmd":5}"#, .badRequest),
      (#"{"id":"1","cmd":"dance"}"#, .unknownCommand), (#"{"id":"1","cmd":"Press"}"#, .unknownCommand),
      (#"{"id":"1","cmd":"press","key":"KEY_F13"}"#, .badRequest), (#"{"id":"1","cmd":"press","key":-1}"#, .badRequest),
      (#"{"id":"1","cmd":"press","lease":1}"#, .badRequest), (#"{"id":"1","cmd":"press","client":1}"#, .badRequest),
      (#"{"id":"1","cmd":"press","deadlineMs":1.5}"#, .badRequest),
      (#"{"id":"1","cmd":"press","leaseMs":499}"#, .badRequest),
      (#"{"id":"1","cmd":"press","leaseMs":10001}"#, .badRequest),
      (#"{"id":"1","cmd":"press","leaseMs":true}"#, .badRequest),
      (#"{"id":"1","cmd":"presence","onScreen":1}"#, .badRequest),
      (#"{"id":"1","cmd":"watch","levels":"yes"}"#, .badRequest), (#"{"id":"1","cmd":"transcribe"}"#, .badRequest),
      (#"{"id":"1","cmd":"transcribe","path":"a.wav"}"#, .badRequest),
    ])
  func badCommands(_ line: String, _ reason: FailureReason) throws {
    guard case .command(let id, let actual, let message) = try #require(malformed(line)) else {
      Issue.record("the id was not seen")
      return
    }
    #expect(id == "1")
    #expect(actual == reason)
    #expect(message.hasSuffix("."))
  }

  @Test("S-148 all answers have one shape: ack with id and result, then what there is")
  func acks() throws {
    let command = ClientCommand(id: "7", .release)
    #expect(text(MessageCoder.encode(command.ack(.done))) == #"{"ack":{"id":"7","result":"done"}}"# + "\n")
    var status = DaemonStatus()
    status.processID = 42
    status.phase = .recording
    status.dictation = 3
    status.listening = false
    status.reason = .seatInactive
    status.message = "m"
    status.engine = "offline"
    status.fallbackEngine = "none"
    status.apiKey = false
    status.stayLocal = true
    status.hotkey = PartStatus(ready: false, device: "KEY_RIGHTCTRL", hint: "h")
    status.microphone = PartStatus(device: "default")
    status.display = PartStatus(ready: true)
    status.spool = SpoolStatus(recordings: 2, interrupted: 1, folder: "/run/spool")
    let full = command.ack(
      .notListening, reason: .apiKeyMissing, message: "m", dictation: 9, errorKind: "apiKeyMissing", phase: .recording,
      text: "t", engine: "offline", status: status)
    let line = MessageCoder.encode(full)
    #expect(try MessageCoder.daemonMessage(from: Array(line.dropLast())) == .ack(full))
    #expect(
      text(line)
        == #"{"ack":{"dictation":9,"engine":"offline","errorKind":"apiKeyMissing","id":"7","message":"m","phase":"#
        + #""recording","reason":"apiKeyMissing","result":"notListening","status":{"apiKey":false,"capabilities":["#
        + SessionContract.capabilities.map { "\"\($0)\"" }.joined(separator: ",")
        + #"],"dictation":3,"display":{"ready":true},"engine":"offline","fallbackEngine":"none","hotkey":{"device":"#
        + #""KEY_RIGHTCTRL","hint":"h","ready":false},"listening":false,"message":"m","microphone":{"device":"default"},"#
        + #""phase":"recording","processID":42,"protocol":1,"reason":"seatInactive","#
        + #""spool":{"folder":"/run/spool","interrupted":1,"#
        + #""recordings":2},"stayLocal":true,"version":"\#(ProductVersion.current)"},"text":"t"}}"# + "\n")
  }

  @Test("S-148 an answer with everything in it is read back as it was")
  func fullAck() throws {
    let line = MessageCoder.encode(WireSamples.ack)
    #expect(try MessageCoder.daemonMessage(from: Array(line.dropLast())) == .ack(WireSamples.ack))
  }

  @Test("S-120 a time of the boot-time clock is written in whole milliseconds, whatever stands in the record")
  func farTimes() throws {
    for time in [Int64.min, -1, 0, 9_007_199_254_740_993, .max] {
      let line = #"{"generation":1,"processID":1,"publishedAtMs":\#(time),"state":"open"}"# + "\n"
      #expect(text(try #require(ReadinessRecord(line: bytes(line))).line) == line)
    }
    #expect(
      text(MessageCoder.encode(ClientCommand(id: "1", .toggle, deadline: .seconds(Int64.max)))).contains("\(Int64.max)")
    )
    #expect(text(MessageCoder.encode(ClientCommand(id: "1", .toggle, deadline: .microseconds(2999)))).contains(":2,"))
  }

  static let events: [(SessionEvent, String)] = [
    (.phase(PhaseEvent(phase: .idle)), #"{"event":"phase","phase":"idle"}"#),
    (
      .phase(
        PhaseEvent(
          phase: .failed, dictation: 2, overlay: "error", status: "idle", label: "l", dwell: 1.6,
          errorKind: "sttFailed", message: "m")),
      #"{"dictation":2,"dwell":1.6,"errorKind":"sttFailed","event":"phase","label":"l","message":"m","overlay":"error","#
        + #""phase":"failed","status":"idle"}"#
    ),
    (.level(LevelEvent(level: 0.25, dictation: 2)), #"{"dictation":2,"event":"level","level":0.25}"#),
    (
      .delivery(DeliveryEvent(dictation: 2, engine: "offline", fellBackFrom: "assemblyai", text: "é")),
      #"{"dictation":2,"engine":"offline","event":"delivery","fellBackFrom":"assemblyai","text":"é"}"#
    ),
    (
      .notice(NoticeEvent(notice: "tooShort", message: "m", dictation: 2)),
      #"{"dictation":2,"event":"notice","message":"m","notice":"tooShort"}"#
    ),
    (
      .listening(ListeningEvent(state: .interrupted, reason: .suspended, message: "m", generation: 2)),
      #"{"event":"listening","generation":2,"message":"m","reason":"suspended","state":"interrupted"}"#
    ),
    (
      .settings(SettingsEvent(settings: ["BlurtBias", "BlurtKeyTerms"])),
      #"{"event":"settings","settings":["BlurtBias","BlurtKeyTerms"]}"#
    ),
    (.listening(ListeningEvent(state: .open, generation: 3)), #"{"event":"listening","generation":3,"state":"open"}"#),
  ]

  @Test("S-150 every event is one line with sorted keys, and is read back", arguments: events)
  func eventRoundTrip(_ event: SessionEvent, _ line: String) throws {
    #expect(text(MessageCoder.encode(event)) == line + "\n")
    #expect(try MessageCoder.daemonMessage(from: bytes(line)) == .event(event))
  }

  @Test("S-150 the test above knows every event; only a delivery has text to take away")
  func everyEvent() {
    #expect(Set(Self.events.map(\.0.name)) == Set(SessionEvent.Name.allCases))
    for (event, line) in Self.events {
      let stripped = text(MessageCoder.encode(event.withoutText))
      #expect(stripped == line.replacing(#","text":"é""#, with: "") + "\n")
      #expect(!stripped.contains("\"text\""))
    }
  }

  @Test("C-30 a level goes out in thousandths between 0 and 1, also when the meter went mad")
  func levels() {
    for (level, written) in [(0.123456, "0.123"), (2, "1.0"), (-1, "0.0"), (Double.nan, "0.0"), (.infinity, "1.0")] {
      #expect(
        text(MessageCoder.encode(.level(LevelEvent(level: level)))) == "{\"event\":\"level\",\"level\":\(written)}\n")
    }
  }

  @Test("Y-120 a client skips what only a newer daemon knows")
  func newerDaemon() throws {
    for line in [#"{"event":"weather"}"#, #"{"event":"phase","phase":"dreaming"}"#, #"{"hello":1}"#] {
      #expect(try MessageCoder.daemonMessage(from: bytes(line)) == .unknown)
    }
    let ack = try MessageCoder.daemonMessage(
      from: bytes(#"{"ack":{"id":"1","result":"postponed","reason":"tired","phase":"dreaming","new":[]}}"#))
    #expect(ack == .ack(CommandAck(id: "1", result: .failed, reason: .fault)))
  }

  @Test(
    "S-146 a client refuses a line that is not the daemon's", arguments: ["", "[]", "{", #"{"ack":{}}"#, #"{"ack":1}"#])
  func unreadable(_ line: String) {
    #expect(throws: MessageCoder.Unreadable.self) { try MessageCoder.daemonMessage(from: bytes(line)) }
  }

  @Test("S-126 only what may start a recording expires, and only after its deadline")
  func expiry() {
    let actions: [(ClientCommand.Action, Bool)] = [
      (.press(key: nil, lease: true), true), (.toggle, true), (.release, false), (.cancel, false),
      (.cancelRecording, false), (.watch(WatchOptions()), false), (.status, false), (.last, false),
      (.transcribe(path: "/a"), false), (.wait(.newest), false), (.presence(onScreen: true), false),
      (.recent(count: nil), false), (.spool, false), (.retry(recording: nil), false), (.discard(recording: nil), false),
      (.settings(setting: nil), false), (.set(setting: "A", value: 1, expected: nil), false),
      (.unset(setting: "A", expected: nil), false), (.edit(EntryChange(setting: "A", remove: ["b"])), false),
      (.reset, false), (.doctor(record: true), false),
      (.keys(key: nil), false), (.setKey(KeyChange(activation: "tap")), false),
      (.devices, false), (.sounds, false), (.playSound(pack: nil, cue: nil), false),
      (.apiKey(engine: nil, check: true), false), (.setApiKey(key: WireSecret("k"), engine: nil), false),
      (.clearApiKey(engine: nil), false),
    ]
    #expect(Set(actions.map(\.0.name)) == Set(ClientCommand.Name.allCases))
    for (action, expires) in actions {
      let command = ClientCommand(id: "1", action, deadline: .milliseconds(500))
      #expect(!command.isExpired(at: .milliseconds(500)))
      #expect(command.isExpired(at: .milliseconds(501)) == expires)
      #expect(!ClientCommand(id: "1", action).isExpired(at: .seconds(1_000_000)))
    }
  }
}
