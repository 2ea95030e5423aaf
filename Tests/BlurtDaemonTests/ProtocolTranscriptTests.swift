import BlurtContract
import BlurtEngine
import BlurtInjection
import BlurtOS
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("The documented conversations", .timeLimit(.minutes(1))) struct ProtocolTranscriptTests {
  private static let transcripts = (try? ProtocolTranscript.all()) ?? []

  @Test(
    "S-123 S-125 S-127 S-128 S-149 S-150 every documented conversation happens as it is written",
    arguments: transcripts.map(\.name))
  func replay(name: String) async throws {
    let transcript = try #require(Self.transcripts.first { $0.name == name })
    let daemon = try ReplayDaemon()
    // The client blocks, so it has a thread of its own.
    let problem = try await Blocking.run(name: "replay") { Self.play(transcript, daemon) }
    #expect(problem == nil)
    try await Blocking.run(name: "replay-stop") { daemon.stop() }
  }

  @Test("the conversations that the reference promises are there")
  func complete() {
    let promised = [
      "cancel-while-transcribing", "garbage", "hold-to-talk", "lease", "listening", "no-key", "oversized-line",
      "keys", "presence", "press-while-busy", "release-while-idle", "watch",
    ]
    #expect(promised.filter { !Self.transcripts.map(\.name).contains($0) } == [])
  }

  @Test("S-21 S-80 S-85 the words that the engine gives to the wire are those of the schemas and of the reference")
  func words() throws {
    let underlying = UnderlyingError(domain: .other, code: 0, message: "m")
    let errors: [BlurtError] = [
      .apiKeyMissing, .accessibilityPermissionMissing, .audioCaptureFailed(underlying: underlying),
      .sttFailed(underlying: underlying), .targetAppLost, .noEditableTarget,
    ]
    let phases: [PipelinePhase] =
      [.idle, .connecting, .recording, .transcribing, .injecting, .pasted, .noTarget, .cancelled]
      + errors.map { .failed($0) }
    let event = try #require(JSONSchemaSubset.named("event").definition("phase")?["properties"]?.object)
    func enumeration(_ field: String) -> Set<JSONValue> {
      guard case .array(let values)? = event[field]?.object?["enum"] else { return [] }
      return Set(values)
    }
    #expect(enumeration("errorCause") == Set(FailureCause.allCases.map { .string($0.rawValue) }))
    #expect(enumeration("errorKind") == Set(errors.map { .string($0.diagnosticName) }))
    #expect(enumeration("overlay") == Set(phases.map { .string(OverlayUIState($0).name) }))
    #expect(enumeration("status") == Set(phases.map { .string(MenuBarStatus($0).name) }))
    let notices: [InjectionNotice] =
      [.neverRead, .supersededUnread, .clipboardTaken, .notInFront, .keyboardGrabbed, .displayLost]
      + InjectionNotice.Loss.allCases.map { .notRestored($0) }
    let rows = try #require(ProtocolReference().event("notice")).rows
    #expect(Set(notices.map(\.name)).subtracting(rows) == [])
  }

  /// Plays the whole conversation; returns what was not as written.
  private static func play(_ transcript: ProtocolTranscript, _ daemon: ReplayDaemon) -> String? {
    var number = 0
    do {
      var client = try LineClient(daemon.folder.socket)
      // Answers and events keep their order among themselves only.
      var events: [JSONValue] = []
      var answers: [JSONValue] = []
      for step in transcript.steps {
        number += 1
        switch step {
        case .client(let text): try client.send(text)
        case .stimulus(let text):
          let words = text.split(separator: " ", maxSplits: 1).map(String.init)
          let rest = words.count > 1 ? words[1] : ""
          switch words.first ?? "" {
          case "connect": client = try LineClient(daemon.folder.socket)
          case "fill": try client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: Int(rest) ?? 0))
          case "bytes": try client.send(bytes: rest.split(separator: " ").compactMap { UInt8($0, radix: 16) })
          case let word:
            guard daemon.happen(word, rest) else { return "step \(number): nobody knows the stimulus \(word)" }
          }
        case .hangUp:
          guard client.isClosed() else { return "step \(number): the daemon did not hang up" }
        case .daemon(let expected):
          let isEvent = expected.object?["event"] != nil
          while (isEvent ? events : answers).isEmpty {
            guard let received = client.line() else { return "step \(number): nothing came" }
            let value = try JSONReader.read(Array(received.utf8))
            if value.object?["event"] != nil { events.append(value) } else { answers.append(value) }
          }
          let actual = isEvent ? events.removeFirst() : answers.removeFirst()
          guard actual.matches(expected) else {
            return "step \(number): \(String(decoding: actual.line, as: UTF8.self))"
          }
        }
      }
      let rest = events + answers
      return rest.isEmpty ? nil : "after the end: \(rest.map { String(decoding: $0.line, as: UTF8.self) })"
    } catch {
      return "step \(number): \(error)"
    }
  }
}
