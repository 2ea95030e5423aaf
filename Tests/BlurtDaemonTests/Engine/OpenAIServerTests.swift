import AssemblyAI
import BlurtEngine
import BlurtHTTP
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

/// The engine `openai` over the real transport, against a server that refuses what real ones refuse.
@Suite("The engine openai", .enabled(if: StrictServer.isAvailable, "needs python3"), .timeLimit(.minutes(2)))
struct OpenAIServerTests {
  /// Nobody waits a minute in a test.
  private struct ImpatientTransport: HTTPTransport {
    let transport: CurlTransport

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      var request = request
      request.stallTimeout = .milliseconds(500)
      return try await transport.send(request)
    }
  }

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func withEngine<Value: Sendable>(
    _ server: StrictServer, path: String = "", key: String? = "test-key", model: String = "whisper-1",
    _ body: (OpenAITranscriber) async throws -> Value
  ) async throws -> Value {
    let curl = try CurlTransport(CurlOptions())
    defer { curl.stop() }
    let address = server.baseURL + path
    return try await body(
      OpenAITranscriber(
        transport: ImpatientTransport(transport: curl),
        settings: .init(
          address: { address }, apiKey: { key }, model: { model }, language: { "en" },
          userAgent: { "Blurt/1 (Linux)" })))
  }

  private func spoken(_ seconds: Int = 1, isKept: Bool = true) -> AudioFeed {
    let spool = RecordingSpool(directory: scratch.path + "/spool")
    let recording = isKept ? spool.begin(dictation: 1) : nil
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    for second in 0..<seconds {
      let frame = (0..<32_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ second) }
      frame.withUnsafeBytes { recording?.append($0) }
      feed.yield(frame)
    }
    feed.finish()
    return AudioFeed(frames: frames, recording: recording)
  }

  private func transcribe(_ engine: OpenAITranscriber, _ feed: AudioFeed? = nil) async throws -> Transcript {
    try await engine.transcribe(
      feed ?? spoken(), sampleRate: 16_000, context: TranscriptionContext(keyTerms: ["Blurt", "naïve – 日本"]))
  }

  @Test(
    "the request is a form that the server and a parser of real servers read alike, with the whole sound",
    arguments: ["", "/v1", "/v1/audio/transcriptions", "/inference"], [true, false])
  func accepted(path: String, isKept: Bool) async throws {
    let server = try StrictServer()
    let transcript = try await withEngine(server, path: path) { try await transcribe($0, spoken(2, isKept: isKept)) }
    #expect(transcript.text == "This is what was said." && transcript.engine == .openai)
    #expect(try await server.wait(for: "audio").first?.bytes == 64_000)
    // Where python-multipart is installed, the server has refused what that reads otherwise.
    #expect(server.events("form").first?.secondParser != nil)
    let log = String(decoding: TestFile.bytes(server.folder + "/log") ?? [], as: UTF8.self)
    #expect(
      log.contains(
        #""config": {"model": "whisper-1", "response_format": "json", "temperature": "0", "language": "en", "prompt": "Blurt, naïve – 日本."}"#
      ))
    #expect(!log.contains("test-key"))
  }

  @Test("a server without keys gets none, and a bare text is an answer as well")
  func bare() async throws {
    let server = try StrictServer(faults: ["no-key", "text-answer"])
    #expect(try await withEngine(server, key: nil) { try await transcribe($0).text } == "This is what was said.")
    #expect(server.events("request").allSatisfy { $0.headers?["authorization"] == nil })
  }

  @Test("a warm-up opens the connection that the recording uses")
  func warmUp() async throws {
    let server = try StrictServer()
    _ = try await withEngine(server) { engine in
      await engine.warmUp()
      return try await transcribe(engine)
    }
    #expect(server.events("request").map(\.reused) == [false, true])
    #expect(server.events("request").map(\.target) == ["/health", "/v1/audio/transcriptions"])
  }

  @Test(
    "T-84 every status is the same kind of error as the service's, with what to do, and without the key",
    arguments: [401, 402, 403, 404, 413, 415, 429, 500, 503])
  func statuses(status: Int) async throws {
    let server = try StrictServer(faults: ["\(status)"])
    let error = await #expect(throws: UnderlyingError.self) {
      try await withEngine(server) { try await transcribe($0) }
    }
    #expect(error?.domain == .http && error?.code == status)
    if status == 429 { #expect(error?.message.contains("wait 7 s") == true) }
    #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
  }

  @Test("T-111 a server that repeats the key it got does not bring it into the message")
  func wrongKey() async throws {
    let server = try StrictServer()
    let error = await #expect(throws: UnderlyingError.self) {
      try await withEngine(server, key: "wrong-secret") { try await transcribe($0) }
    }
    #expect(error?.code == 401 && error?.message.contains("[key]") == true)
    #expect(error?.message.contains("secret") == false)
  }

  @Test("a model that the server has not is told in its own words")
  func model() async throws {
    let server = try StrictServer()
    let error = await #expect(throws: UnderlyingError.self) {
      try await withEngine(server, model: "missing-model") { try await transcribe($0) }
    }
    #expect(error?.code == 404 && error?.message.contains("not installed locally") == true)
  }

  @Test(
    "T-87 a reset while the recording is sent, a server that never reads or never answers, and half an answer fail in time",
    arguments: ["reset@50000", "stall@10000", "hang", "cut-answer"])
  func network(fault: String) async throws {
    let server = try StrictServer(faults: [fault])
    let error = await #expect(throws: UnderlyingError.self) {
      // More than the kernel's buffers take, so that a server that does not read is noticed while sending.
      try await withEngine(server) { try await transcribe($0, spoken(300)) }
    }
    #expect(error?.domain == .curl, "\(error as Any)")
    #expect(error?.message.contains("blurtctl retry") == true)
  }

  @Test(
    "nobody listening is a transport failure, and a page or half a JSON a broken answer: all give way to the offline engine"
  )
  func fallback() async throws {
    let server = try StrictServer()
    let offline = OfflineStub()
    for fault in ["page-answer", "invalid-json", "no-text", "503"] {
      try server.setFaults([fault])
      let transcript = try await withEngine(server) { engine in
        try await FallbackTranscriber(primary: engine, kind: .openai) { offline }
          .transcribe(spoken(), sampleRate: 16_000, context: nil)
      }
      #expect(transcript.engine == .offline && transcript.fellBackFrom == .openai, "\(fault)")
    }
    server.stop()
    let transcript = try await withEngine(server) { engine in
      try await FallbackTranscriber(primary: engine, kind: .openai) { offline }
        .transcribe(spoken(), sampleRate: 16_000, context: nil)
    }
    #expect(transcript.engine == .offline)
  }

  private struct OfflineStub: TranscriberProtocol {
    func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript {
      Transcript(text: "heard", engine: .offline)
    }
  }

  @Test("T-98 T-99 a key is checked with the server's own list of models")
  func keyCheck() async throws {
    let server = try StrictServer()
    let curl = try CurlTransport(CurlOptions())
    defer { curl.stop() }
    let address = server.baseURL
    let validator = OpenAIKeyValidator(transport: curl, userAgent: "Blurt") { address }
    #expect(await validator.validate("test-key") == .valid)
    #expect(await validator.validate("other") == .invalid)
    try server.setFaults(["check=500"])
    #expect(await validator.validate("test-key") == .unreachable)
    try server.setFaults(["no-routes"])
    #expect(await validator.validate("test-key") == .valid)
    #expect(await OpenAIServerCheck.look(at: address, transport: curl, userAgent: "Blurt") == .unknown)
    try server.setFaults(["health=503"])
    #expect(await OpenAIServerCheck.look(at: address, transport: curl, userAgent: "Blurt") == .notReady(503))
  }
}
