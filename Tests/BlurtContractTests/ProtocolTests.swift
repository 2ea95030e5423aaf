import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

/// The reference in `protocol/` against the code and against its transcripts.
@Suite struct ProtocolTests {
  private let reference: ProtocolReference
  private let transcripts: [ProtocolTranscript]
  private let command: JSONSchemaSubset
  private let ack: JSONSchemaSubset
  private let event: JSONSchemaSubset

  init() throws {
    reference = try ProtocolReference()
    transcripts = try ProtocolTranscript.all()
    command = try .named("command")
    ack = try .named("ack")
    event = try .named("event")
  }

  private var daemonLines: [JSONValue] {
    transcripts.flatMap { transcript in
      transcript.steps.compactMap { if case .daemon(let value) = $0 { value } else { nil } }
    }
  }

  private var clientLines: [JSONValue] {
    transcripts.flatMap { transcript in
      transcript.steps.compactMap { step in
        if case .client(let line) = step { try? JSONReader.read(Array(line.utf8)) } else { nil }
      }
    }
  }

  // MARK: What is not in a transcript

  /// What stands in the reference and is still to be carried out by a service, so that no transcript can show it.
  static let notYet: Set<String> = []

  /// What no conversation over a socket between fakes can provoke, and why.
  static let unprovoked: [String: String] = [
    "reason noKey": "about keyboards: HotkeyStatusTests, bad-input scenarios",
    "reason noDevice": "about a microphone: bad-input scenarios",
    "reason deviceLost": "about a microphone: MicCaptureTests",
    "reason noDisplay": "about a display: bad-input scenarios",
    "reason stopping": "said when the daemon ends: ControlServerTests",
    "reason tooManyCommands": "after 64 commands without an answer: ControlServerTests",
    "reason tooManyClients": "after as many clients as there are descriptors: SocketLifeTests",
    "reason noDaemon": "never on the wire",
  ]

  /// All names that a transcript shows.
  private var shown: Set<String> {
    var names: Set<String> = []
    for line in clientLines { if let name = line.object?["cmd"]?.string { names.insert(name) } }
    for line in daemonLines {
      let body = line.object?["ack"]?.object ?? line.object?["error"]?.object ?? line.object
      if let name = line.object?["event"]?.string { names.insert("event \(name)") }
      if let name = body?["result"]?.string { names.insert("result \(name)") }
      if let name = body?["reason"]?.string { names.insert("reason \(name)") }
      if line.object?["event"] == "phase", let name = body?["phase"]?.string { names.insert("phase \(name)") }
    }
    return names
  }

  @Test("S-123 S-147 S-150 Y-125 every command, event, phase, result and reason stands in a transcript")
  func everyName() {
    let names =
      ClientCommand.Name.allCases.map(\.rawValue) + SessionEvent.Name.allCases.map { "event \($0.rawValue)" }
      + DictationPhase.allCases.map { "phase \($0.rawValue)" } + CommandResult.allCases.map { "result \($0.rawValue)" }
      + FailureReason.allCases.map { "reason \($0.rawValue)" }
    let excepted = Self.notYet.union(Self.unprovoked.keys)
    #expect(Set(names).subtracting(shown).subtracting(excepted) == [])
    #expect(excepted.subtracting(names) == [], "no such name")
    #expect(excepted.intersection(shown) == [], "a transcript shows it: take it off the list")
  }

  // MARK: Sections

  @Test(
    "S-147 every command has a section with its fields, its version and its transcripts, and a row with its results")
  func commandSections() throws {
    let table = try #require(reference.part("Commands")).body
    for name in ClientCommand.Name.allCases.map(\.rawValue) {
      let section = try #require(reference.command(name), "\(name) has no section")
      #expect(section.body.contains("Since 1."), "\(name)")
      for field in command.definition(name)?["properties"]?.object?.keys ?? [] where field != "cmd" {
        #expect(section.body.contains("`\(field)`"), "\(name): \(field)")
      }
      #expect(section.body.contains("Transcript") || Self.notYet.contains(name), "\(name) names no transcript")
      #expect(!section.code("json").isEmpty, "\(name) has no example")
      let row = try #require(
        table.split(separator: "\n").first { $0.hasPrefix("| [`\(name)`](#\(name.lowercased())) | ") }, "\(name)")
      let results = row.split(separator: "|").last?.split(separator: "`").filter { $0.first?.isLetter == true } ?? []
      let areKnown = !results.isEmpty && results.allSatisfy { CommandResult(rawValue: String($0)) != nil }
      #expect(areKnown || row.hasSuffix("| those of both |"), "\(name): \(results)")
    }
  }

  @Test("S-147 the results in the table are those that the transcripts show, at least")
  func resultsOfCommands() throws {
    let table = try #require(reference.part("Commands")).body
    for transcript in transcripts {
      var open: [String: String] = [:]
      for step in transcript.steps {
        switch step {
        case .client(let line):
          guard let fields = try? JSONReader.read(Array(line.utf8)).object, let id = fields["id"]?.string else {
            continue
          }
          open[id] = fields["cmd"]?.string
        case .daemon(let line):
          guard let fields = line.object?["ack"]?.object, let name = fields["id"]?.string.flatMap({ open[$0] }),
            let result = fields["result"]?.string, result != "failed", name != "toggle"
          else { continue }
          let row = table.split(separator: "\n").first { $0.hasPrefix("| [`\(name)`]") }
          #expect(row?.contains("`\(result)`") == true, "\(transcript.name): \(name) is answered with \(result)")
        case .hangUp, .stimulus: continue
        }
      }
    }
  }

  @Test("S-150 every event has a section with its fields and an example, and a row in the table")
  func eventSections() throws {
    let table = try #require(reference.part("Events")).rows
    #expect(table == ["event"] + SessionEvent.Name.allCases.map(\.rawValue))
    for name in SessionEvent.Name.allCases.map(\.rawValue) {
      let section = try #require(reference.event(name), "\(name) has no section")
      #expect(section.body.contains("Since 1."), "\(name)")
      for field in event.definition(name)?["properties"]?.object?.keys ?? [] where field != "event" {
        #expect(section.body.contains("`\(field)`"), "\(name): \(field)")
      }
      #expect(!section.code("json").isEmpty, "\(name) has no example")
    }
  }

  @Test("S-148 S-120 every field of an answer and of the readiness record stands in the reference")
  func fields() throws {
    let answer = try #require(reference.part("The answer"))
    #expect(answer.rows.contains("id"))
    for field in ack.definition("ack")?["properties"]?.object?.keys ?? [] {
      #expect(answer.body.contains("| `\(field)` | "), "\(field)")
    }
    let places = [
      "status": "status", "part": "status", "spoolStatus": "status", "outcome": "wait", "recentEntry": "recent",
      "recordingEntry": "spool", "settingEntry": "settings", "doctorCheck": "doctor", "resetStep": "reset",
      "deviceEntry": "devices", "soundEntry": "sounds", "cueEntry": "sounds",
    ]
    for (name, command) in places {
      let section = try #require(reference.command(command))
      for field in try #require(ack.definition(name)?["properties"]?.object).keys {
        #expect(section.body.contains("`\(field)`"), "\(name): \(field)")
      }
    }
    let record = try #require(reference.part("The readiness record"))
    let described = try JSONSchemaSubset.named("readiness").root["properties"]?.object?.keys
    #expect(record.rows.sorted() == described)
  }

  @Test("S-123 S-128 Y-125 every result, phase, reason, error kind and transcript stands in the reference")
  func words() throws {
    for result in CommandResult.allCases {
      #expect(reference.text.contains("\n| `\(result.rawValue)` | "))
      #expect(reference.text.contains("| \(result.exitStatus.rawValue) |\n"))
    }
    for phase in DictationPhase.allCases {
      #expect(reference.event("phase")?.body.contains("`\(phase.rawValue)`") == true)
    }
    let reasons = try #require(reference.part("Reasons")).rows
    #expect(reasons == ["reason"] + FailureReason.allCases.filter { $0 != .noDaemon }.map(\.rawValue))
    let kinds = try #require(reference.part("Error kinds")).rows
    guard case .array(let described)? = ack.definition("errorKind")?["enum"] else {
      Issue.record("the schema lists no error kinds")
      return
    }
    #expect(kinds == ["errorKind"] + described.compactMap(\.string))
    let causes = try #require(reference.part("Error causes")).rows
    guard case .array(let described)? = ack.definition("errorCause")?["enum"] else {
      Issue.record("the schema lists no error causes")
      return
    }
    #expect(causes == ["errorCause"] + described.compactMap(\.string))
    for transcript in transcripts {
      #expect(reference.text.contains(transcript.name), "the reference does not name \(transcript.name)")
    }
    let notices = try #require(reference.event("notice")).rows
    for line in daemonLines {
      if let notice = line.object?["notice"]?.string { #expect(notices.contains(notice), "\(notice)") }
    }
  }

  @Test("Y-120 every capability has a row that says what it means, and no other has one")
  func capabilities() throws {
    #expect(try #require(reference.part("Capabilities")).rows == SessionContract.capabilities)
  }

  @Test("S-146 every number of the socket in the reference is that of the code")
  func numbers() {
    let readme = reference.text
    #expect(SessionContract.longestRequestLine == 65_536 && readme.contains("65,536 bytes"))
    #expect(SessionContract.longestIdentifier == 128 && readme.contains("128 bytes"))
    #expect(SessionContract.deepestNesting == 32 && readme.contains("at most 32 deep"))
    #expect(SessionContract.longestReplyLine == 4 << 20 && readme.contains("at most 4 MiB"))
    #expect(SessionContract.rememberedAckCount == 64 && readme.contains("last 64 answers"))
    #expect(SessionContract.rememberedAckByteCount == 256 << 10 && readme.contains("256 KiB"))
    #expect(SessionContract.outstandingCommandCount == 64 && readme.contains("At most 64 commands"))
    #expect(SessionContract.slowClientPatience == .seconds(10) && readme.contains("nothing for 10 s"))
    #expect(SessionContract.slowClientByteCount == 4 << 20 && readme.contains("has 4 MiB waiting"))
    #expect(SessionContract.levelInterval == .milliseconds(80) && readme.contains("every 80 ms"))
    #expect(SessionContract.pressHandshakeTimeout == .milliseconds(1200) && readme.contains("after 1.2 s"))
    #expect(SessionContract.pressDeadlineMargin == .milliseconds(200) && readme.contains("200 ms before"))
    #expect(SessionContract.protocolNumber == 1 && readme.hasPrefix("# The control protocol of blurtd, number 1\n"))
    #expect(SessionContract.leaseHeartbeat == .milliseconds(500) ... .seconds(10) && readme.contains("500 to 10000"))
    #expect(SessionContract.deadOwnerRelease == .seconds(10) && readme.contains("\n10 s after its client died"))
    #expect(SessionContract.presenceHeartbeat == .seconds(4) && readme.contains("every 4 s"))
    #expect(SessionContract.presenceFreshness == .seconds(15) && readme.contains("silent for 15 s"))
    #expect(SessionContract.readinessLease == .seconds(15) && readme.contains("at most 15 s old"))
    #expect(SessionContract.readinessHeartbeat == .seconds(5) && readme.contains("every 5 s"))
    #expect(SessionContract.rememberedOutcomeCount == 32 && readme.contains("than the last 32"))
  }

  @Test("every link of the reference leads somewhere")
  func links() {
    let folder = ProtocolTranscript.root() + "/protocol/"
    #expect(reference.links.count > 30)
    for link in reference.links {
      let isThere =
        link.hasPrefix("#")
        ? reference.anchors.contains(String(link.dropFirst())) : FileManager.default.fileExists(atPath: folder + link)
      #expect(isThere, "\(link)")
    }
  }

  @Test("every change of the protocol's number has an entry")
  func changes() throws {
    let path = ProtocolTranscript.root() + "/protocol/CHANGELOG.md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for number in 1...SessionContract.protocolNumber { #expect(text.contains("\n## \(number)\n")) }
    for name in ClientCommand.Name.allCases.map(\.rawValue) + SessionEvent.Name.allCases.map(\.rawValue) {
      #expect(text.contains("`\(name)`"), "\(name)")
    }
  }

  // MARK: Examples

  @Test("S-146 every example of the reference is a line of a transcript")
  func examples() throws {
    let known = Set(daemonLines + clientLines)
    var count = 0
    for section in reference.sections {
      let isPromised = Self.notYet.contains(section.part == "Events" ? "event \(section.title)" : section.title)
      for line in section.code("json") {
        count += 1
        let value = try JSONReader.read(Array(line.utf8))
        let schema = value.object?["cmd"] != nil ? command : value.object?["ack"] != nil ? ack : event
        #expect(
          known.contains(value) || isPromised && schema.faults(in: value, .strict, wildcard: "<any>").isEmpty,
          "\(line)")
      }
    }
    #expect(count >= 30)
  }

  @Test("S-148 S-150 every line of the daemon in a transcript is one that the code can write, field by field")
  func daemonLinesAreReal() throws {
    for line in daemonLines {
      let message = try MessageCoder.daemonMessage(from: readable(line).line)
      let written: [UInt8]
      switch message {
      case .ack(let ack): written = MessageCoder.encode(ack)
      case .event(let event): written = MessageCoder.encode(event)
      case .error(let error): written = MessageCoder.encode(error)
      case .unknown:
        Issue.record("unknown: \(line)")
        continue
      }
      #expect(try JSONReader.read(written).matches(line), "\(line)")
    }
  }

  /// The line with a value of the right type wherever any value may stand, so that it can be read.
  private func readable(_ value: JSONValue, field: String = "") -> JSONValue {
    switch value {
    case .object(let object):
      var readable = JSONObject()
      for member in object.members { readable[member.key] = self.readable(member.value, field: member.key) }
      return .object(readable)
    case "<any>" where field == "status": return .object([:])
    case "<any>" where ["checks", "settings", "steps", "devices", "sounds", "recordings", "recent"].contains(field):
      return .array([])
    case "<any>" where ["dictation", "dwell", "level", "generation"].contains(field): return 1
    default: return value
    }
  }

  @Test("S-146 a comparison sees a missing, an added and a changed field, and any value where it may be any")
  func matching() throws {
    func value(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }
    let expected = try value(#"{"a":{"b":"<any>"},"c":[1,"<any>"]}"#)
    #expect(try value(#"{"a":{"b":7},"c":[1.0,null]}"#).matches(expected))
    for other in [
      #"{"a":{},"c":[1,2]}"#, #"{"a":{"b":7},"c":[1]}"#, #"{"a":{"b":7},"c":[2,2]}"#, #"{"a":{"b":7},"c":[1,2],"d":0}"#,
    ] {
      #expect(!(try value(other).matches(expected)))
    }
  }
}
