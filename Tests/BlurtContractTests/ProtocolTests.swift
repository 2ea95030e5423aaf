import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

/// The reference in `protocol/` against the code and against its transcripts.
@Suite struct ProtocolTests {
  private let readme: String
  private let transcripts: [ProtocolTranscript]

  init() throws {
    readme = try String(contentsOfFile: ProtocolTranscript.root() + "/protocol/README.md", encoding: .utf8)
    transcripts = try ProtocolTranscript.all()
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

  @Test("S-147 S-150 every command and event has a section and a transcript")
  func sections() {
    for name in ClientCommand.Name.allCases {
      #expect(readme.contains("\n### \(name.rawValue)\n"))
      #expect(clientLines.contains { $0.object?["cmd"] == .string(name.rawValue) }, "no transcript has \(name)")
    }
    for name in SessionEvent.Name.allCases {
      #expect(readme.contains("\n### \(name.rawValue)\n"))
      #expect(daemonLines.contains { $0.object?["event"] == .string(name.rawValue) }, "no transcript has \(name)")
    }
  }

  @Test("S-123 S-128 Y-125 every result, phase and reason stands in the reference")
  func words() {
    for result in CommandResult.allCases {
      #expect(readme.contains("\n| `\(result.rawValue)` | "))
      #expect(readme.contains("| \(result.exitStatus.rawValue) |\n"))
    }
    for phase in DictationPhase.allCases { #expect(readme.contains("`\(phase.rawValue)`")) }
    for reason in FailureReason.allCases where reason != .noDaemon {
      #expect(readme.contains("\n| `\(reason.rawValue)` | "), "\(reason)")
    }
    for transcript in transcripts {
      #expect(readme.contains(transcript.name), "the reference does not name \(transcript.name)")
    }
  }

  @Test("S-146 every number of the socket in the reference is that of the code")
  func numbers() {
    #expect(SessionContract.longestRequestLine == 65_536 && readme.contains("65,536 bytes"))
    #expect(SessionContract.longestIdentifier == 128 && readme.contains("128 bytes"))
    #expect(SessionContract.deepestNesting == 32 && readme.contains("at most 32 deep"))
    #expect(SessionContract.longestReplyLine == 4 << 20 && readme.contains("at most 4 MiB"))
    #expect(SessionContract.rememberedAckCount == 64 && readme.contains("last 64 answers"))
    #expect(SessionContract.rememberedAckByteCount == 256 << 10 && readme.contains("256 KiB"))
    #expect(SessionContract.outstandingCommandCount == 64 && readme.contains("64 commands"))
    #expect(SessionContract.slowClientPatience == .seconds(10) && readme.contains("nothing for 10 s"))
    #expect(SessionContract.slowClientByteCount == 4 << 20 && readme.contains("has 4 MiB waiting"))
    #expect(SessionContract.levelInterval == .milliseconds(80) && readme.contains("every 80 ms"))
    #expect(SessionContract.pressHandshakeTimeout == .milliseconds(1200) && readme.contains("after 1.2 s"))
    #expect(SessionContract.pressDeadlineMargin == .milliseconds(200) && readme.contains("200 ms before"))
    #expect(SessionContract.protocolNumber == 1 && readme.hasPrefix("# The control protocol of blurtd, number 1\n"))
  }

  @Test("S-146 every example of the reference is a line of a transcript")
  func examples() throws {
    let known = Set(daemonLines + clientLines)
    var isExample = false
    var count = 0
    for line in readme.split(separator: "\n") {
      if line.hasPrefix("```") {
        isExample = line == "```json"
      } else if isExample {
        count += 1
        #expect(known.contains(try JSONReader.read(Array(line.utf8))), "\(line)")
      }
    }
    #expect(count >= 18)
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
    case "<any>" where ["dictation", "dwell", "level"].contains(field): return 1
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
