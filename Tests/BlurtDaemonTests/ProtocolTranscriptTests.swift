import BlurtContract
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Testing

@Suite("The documented conversations", .timeLimit(.minutes(1))) struct ProtocolTranscriptTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "protocol/transcripts").path

  static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".transcript") }.sorted()

  @Test("S-123 S-125 S-127 S-128 S-149 S-150 every documented conversation happens as it is written", arguments: names)
  func replay(name: String) async throws {
    let text = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
    let transcript = try ProtocolTranscript(text)
    let daemon = try ReplayDaemon()
    // The client blocks, so it has a thread of its own.
    let problem = try await Blocking.run(name: "replay") { Self.play(transcript, daemon) }
    #expect(problem == nil)
    _ = try await Blocking.run(name: "replay-stop") { daemon.stop() }
  }

  @Test("the conversations that the reference promises are there")
  func complete() {
    let promised = [
      "cancel-while-transcribing", "garbage", "hold-to-talk", "no-key", "oversized-line", "press-while-busy",
      "release-while-idle", "watch",
    ]
    #expect(promised.filter { !Self.names.contains($0 + ".transcript") } == [])
  }

  /// Plays the whole conversation; returns what was not as written.
  private static func play(_ transcript: ProtocolTranscript, _ daemon: ReplayDaemon) -> String? {
    var line = 0
    do {
      var client = try LineClient(daemon.folder.socket)
      // Answers and events keep their order among themselves only.
      var events: [JSONValue] = []
      var answers: [JSONValue] = []
      for (number, step) in transcript.steps {
        line = number
        switch step {
        case .client(let text): try client.send(text)
        case .stimulus("connect", _): client = try LineClient(daemon.folder.socket)
        case .stimulus("fill", let count):
          try client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: Int(count) ?? 0))
        case .stimulus("bytes", let hex):
          try client.send(bytes: hex.split(separator: " ").compactMap { UInt8($0, radix: 16) })
        case .stimulus(let word, let rest):
          guard daemon.happen(word, rest) else { return "line \(number): nobody knows the stimulus \(word)" }
        case .hangUp:
          guard client.isClosed() else { return "line \(number): the daemon did not hang up" }
        case .daemon(let expected):
          let isEvent = expected.object?["event"] != nil
          while (isEvent ? events : answers).isEmpty {
            guard let received = client.line() else { return "line \(number): nothing came" }
            let value = try JSONReader.read(Array(received.utf8))
            if value.object?["event"] != nil { events.append(value) } else { answers.append(value) }
          }
          let actual = isEvent ? events.removeFirst() : answers.removeFirst()
          guard ProtocolTranscript.matches(actual, expected) else {
            return "line \(number): \(String(decoding: actual.line, as: UTF8.self))"
          }
        }
      }
      let rest = events + answers
      return rest.isEmpty ? nil : "after the end: \(rest.map { String(decoding: $0.line, as: UTF8.self) })"
    } catch {
      return "line \(line): \(error)"
    }
  }
}
