import BlurtContract
import BlurtIPC
import BlurtTestSupport
import Testing

/// The transcripts that need no dictation, replayed against the server.
@Suite(.timeLimit(.minutes(1))) struct TranscriptTests {
  @Test("S-146 the server follows the transcripts", arguments: ["garbage", "oversized-line", "expired-press"])
  func replay(_ name: String) async throws {
    let transcript = try #require(try ProtocolTranscript.all().first { $0.name == name })
    let idle = StubControlHandler { command, reply in
      reply(command.ack(.ignored, message: "Nothing is being recorded."))
    }
    try await withServer(handler: idle) { rig in
      var client = try rig.client()
      for step in transcript.steps {
        switch step {
        case .client(let line): try client.send(line)
        case .daemon(let expected):
          let line = try #require(client.line())
          #expect(try JSONReader.read(Array(line.utf8)).matches(expected), "\(line) is not \(expected)")
        case .hangUp: #expect(client.isClosed())
        case .stimulus("connect"): client = try rig.client()
        case .stimulus(let stimulus):
          let words = stimulus.split(separator: " ")
          switch words.first {
          case "fill": try client.send(bytes: Array(repeating: 120, count: try #require(Int(words[1]))))
          case "bytes": try client.send(bytes: words.dropFirst().compactMap { UInt8($0, radix: 16) })
          default: Issue.record("no stimulus of the server: \(stimulus)")
          }
        }
      }
    }
  }
}
