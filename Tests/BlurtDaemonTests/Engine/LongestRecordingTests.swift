import AssemblyAI
import BlurtEngine
import BlurtHTTP
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

/// A recording of 1,195 s, the longest there is, through spool, engine and network, as fast as the machine can.
@Suite(
  "The longest recording", .serialized, .enabled(if: StrictServer.isAvailable, "needs python3"),
  .timeLimit(.minutes(5)))
struct LongestRecordingTests {
  private static let seconds = Int(SyncSTTLimits.autoReleaseAfter.components.seconds)
  private static let byteCount = seconds * 32_000

  private let scratch: ScratchFolder
  private let spool: RecordingSpool

  init() throws {
    scratch = try ScratchFolder()
    spool = RecordingSpool(directory: scratch.path + "/spool")
  }

  /// A second of sound that no other second is like.
  private static func second(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
      + [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 7), count: 31_998)
  }

  /// Speaks for the whole time, as a microphone does: into the spool first, then on the feed.
  private func speak(into recording: any KeptRecording, _ relay: AudioRelay) {
    for number in 0..<Self.seconds {
      let frame = Self.second(number)
      frame.withUnsafeBytes { recording.append($0) }
      relay.send(frame)
    }
    relay.finish()
  }

  private func service(_ server: StrictServer, _ curl: CurlTransport) -> AssemblyAITranscriber {
    let address = server.baseURL
    return AssemblyAITranscriber(
      transport: curl, settings: .init(apiKey: { "test-key" }, baseURL: { address }, userAgent: { "Blurt/1" }))
  }

  /// What the server has saved is what was said: all of it, in order.
  private func expectAll(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    // It saves after it has answered.
    let isThere = await eventually { TestFile.bytes(path)?.count == 44 + Self.byteCount }
    try #require(isThere, sourceLocation: sourceLocation)
    let got = try #require(TestFile.bytes(path), sourceLocation: sourceLocation)
    let wrong = (0..<Self.seconds).first { number in
      let start = 44 + number * 32_000
      return Array(got[start..<start + 32_000]) != Self.second(number)
    }
    #expect(wrong == nil, sourceLocation: sourceLocation)
  }

  @Test("B-113 S-68 T-66 T-67 1,195 s are refused at 120 s, go whole from the spool, and come back as text")
  func byTheService() async throws {
    let server = try StrictServer("--save-audio", scratch.path + "/got.wav")
    let curl = try CurlTransport(CurlOptions())
    defer { curl.stop() }
    let recording = try #require(spool.begin(dictation: 1))
    let relay = AudioRelay()
    let engine = service(server, curl)
    async let transcript = engine.transcribe(
      AudioFeed(relay, recording: recording), sampleRate: 16_000, context: nil)
    speak(into: recording, relay)
    #expect(try await transcript.text == "This is what was said.")
    #expect(server.events("request").map(\.target) == ["/v1/transcribe/live", "/v1/transcribe"])
    #expect(server.events("answer").compactMap(\.status) == [413, 200])
    #expect(recording.byteCount == Self.byteCount && recording.isComplete)
    try await expectAll(scratch.path + "/got.wav")
  }

  @Test("B-113 B-115 1,195 s that the service does not take are kept whole, say why, and go with a retry")
  func keptAndSentAgain() async throws {
    let server = try StrictServer("--save-audio", scratch.path + "/got.wav")
    let curl = try CurlTransport(CurlOptions())
    defer { curl.stop() }
    let engine = service(server, curl)
    let recording = try #require(spool.begin(dictation: 1))
    let relay = AudioRelay()
    try server.setFaults(["503"])
    let task = Task {
      try await engine.transcribe(AudioFeed(relay, recording: recording), sampleRate: 16_000, context: nil)
    }
    speak(into: recording, relay)
    let error = await #expect(throws: UnderlyingError.self) { _ = try await task.value }
    #expect(error?.domain == .http && error?.code == 503 && error?.message.isEmpty == false)
    recording.close(.failed(.transcription(try #require(error))))
    let kept = try #require(spool.list().first)
    #expect(kept.byteCount == Self.byteCount && kept.isComplete && kept.errorMessage?.isEmpty == false)

    try server.setFaults([])
    let again = try #require(spool.reopen(kept.id))
    let whole = WholeTranscription(transcriber: engine, readinessCheck: { nil }, keyTerms: { [] })
    let bytes = try #require(TestFile.bytes(again.audioPath))
    #expect(try await whole.transcribe(bytes, recording: again).text == "This is what was said.")
    try await expectAll(scratch.path + "/got.wav")
  }

  @Test("B-113 1,195 s go whole to the user's own server")
  func byTheUsersServer() async throws {
    let server = try StrictServer("--save-audio", scratch.path + "/got.wav")
    let curl = try CurlTransport(CurlOptions())
    defer { curl.stop() }
    let address = server.baseURL
    let engine = OpenAITranscriber(
      transport: curl,
      settings: .init(
        address: { address }, apiKey: { "test-key" }, model: { "whisper-1" }, language: { "en" },
        userAgent: { "Blurt/1" }))
    let recording = try #require(spool.begin(dictation: 1))
    let relay = AudioRelay()
    async let transcript = engine.transcribe(
      AudioFeed(relay, recording: recording), sampleRate: 16_000, context: nil)
    speak(into: recording, relay)
    #expect(try await transcript.text == "This is what was said.")
    try await expectAll(scratch.path + "/got.wav")
  }
}
