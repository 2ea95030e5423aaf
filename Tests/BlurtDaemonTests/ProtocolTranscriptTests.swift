import BlurtContract
import BlurtOS
import BlurtTestSupport
import Testing

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
      "cancel-while-transcribing", "garbage", "hold-to-talk", "no-key", "oversized-line", "press-while-busy",
      "release-while-idle", "watch",
    ]
    #expect(promised.filter { !Self.transcripts.map(\.name).contains($0) } == [])
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
