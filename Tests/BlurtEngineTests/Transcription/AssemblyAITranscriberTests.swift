import AssemblyAI
import BlurtTestSupport
import Synchronization
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct AssemblyAITranscriberTests {
  private typealias Speaker = TranscriptionFixtures.Speaker
  private typealias Recording = TranscriptionFixtures.FileRecording

  private static let said = HTTPResponse(json: #"{"text":"um hi","llm_response":"Hi."}"#)
  private static let tooLarge = HTTPResponse(
    status: 413, json: #"{"error":"too long","error_code":"audio_too_large"}"#)

  private func transcriber(
    _ transport: FakeHTTPTransport, key: String? = "k3y", isEnhanced: Bool = true,
    mode: DictationConfig.RewriteMode = .fast,
    report: @escaping @Sendable (TranscriptionDiagnostics) -> Void = { _ in },
    redact: @escaping @Sendable (String) -> String = { $0 }
  ) -> AssemblyAITranscriber {
    AssemblyAITranscriber(
      transport: transport,
      settings: .init(
        apiKey: { key }, baseURL: { "http://x.test" }, userAgent: { "Blurt/1" }, isEnhanced: { isEnhanced },
        rewriteMode: { mode }, redactPriorText: redact), report: report)
  }

  private func transcribe(
    _ transcriber: AssemblyAITranscriber, _ speaker: Speaker, context: TranscriptionContext? = nil
  ) async throws -> Transcript {
    try await transcriber.transcribe(speaker.feed, sampleRate: 16_000, context: context)
  }

  private func spoken(_ byteCount: Int = 6_400, recording: Recording? = nil) -> Speaker {
    let speaker = Speaker(recording: recording)
    speaker.say(byteCount)
    speaker.stop()
    return speaker
  }

  /// The boundary that a request names.
  private func boundary(_ request: FakeHTTPTransport.Recorded) throws -> String {
    let type = try #require(request.header("Content-Type"))
    return String(try #require(type.split(separator: "=").last))
  }

  /// The config of a request, and its audio.
  private func parts(_ request: FakeHTTPTransport.Recorded) throws -> (config: String, audio: [UInt8]) {
    let boundary = try boundary(request)
    let empty = MultipartBody.head(config: [], boundary: boundary)
    let split = try #require(empty.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
    let second = Array(empty[split...])
    let tail = MultipartBody.tail(boundary: boundary)
    #expect(request.body.starts(with: empty[..<split]))
    #expect(request.body.suffix(tail.count).elementsEqual(tail))
    let rest = Array(request.body[split...].dropLast(tail.count))
    let middle = try #require(rest.firstRange(of: second))
    return (String(decoding: rest[..<middle.lowerBound], as: UTF8.self), Array(rest[middle.upperBound...]))
  }

  // MARK: The request

  @Test("T-01 T-06 T-13 T-16 T-22 one utterance is one request with the golden bytes, and one text")
  func golden() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let context = TranscriptionContext(
      appName: "App", windowTitle: "Title", fieldLabel: "Label", priorText: "Dear Ann,", selectedText: "Sel",
      recentTranscripts: ["first", "second"], keyTerms: ["Łódź", " a/b "], styleInstructions: "Be kind.",
      isSecureTarget: true)
    let transcript = try await transcribe(transcriber(transport, mode: .smart), spoken(3_200), context: context)
    #expect(
      transcript
        == Transcript(
          text: "Hi.", engine: .assemblyai, sttPrompt: "first\nsecond\nDear Ann,", keyTerms: ["Łódź", "a/b"]))
    #expect(transport.requests.count == 1)
    let request = try #require(transport.requests.first)
    #expect(request.method == "POST")
    #expect(request.url == "http://x.test/v1/transcribe/live")
    #expect(request.isStream)
    #expect(request.isBodyComplete)
    #expect(request.header("Authorization") == "k3y")
    #expect(request.header("User-Agent") == "Blurt/1")
    // T-26 to T-32: six fields; application, window, label and selection are not among them.
    let config = DictationConfig(
      sttPrompt: "first\nsecond\nDear Ann,", keyTerms: ["Łódź", "a/b"],
      llmInstruction: CleanupInstruction.base + CleanupInstruction.bridge + "Be kind.", rewriteMode: .smart)
    let boundary = try boundary(request)
    #expect(
      request.body == MultipartBody.head(config: config.encoded(), boundary: boundary)
        + [UInt8](repeating: 7, count: 3_200) + MultipartBody.tail(boundary: boundary))
  }

  @Test("T-15 T-28 T-29 T-30 T-33 T-45 without a context: rate, channels and instruction alone, and a fresh boundary")
  func noContext() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let transcriber = transcriber(transport)
    let transcript = try await transcribe(transcriber, spoken())
    #expect(transcript.sttPrompt == nil)
    #expect(transcript.keyTerms == [])
    _ = try await transcribe(transcriber, spoken())
    let requests = transport.requests
    let config = String(decoding: DictationConfig(llmInstruction: CleanupInstruction.base).encoded(), as: UTF8.self)
    #expect(try parts(requests[0]).config == config)
    #expect(try boundary(requests[0]) != boundary(requests[1]))
  }

  @Test("T-36 the prior text is redacted before it is compared or sent")
  func redaction() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let transcriber = transcriber(transport, redact: { $0.replacing("ann@example.org", with: "my mail") })
    let context = TranscriptionContext(priorText: "write to ann@example.org", recentTranscripts: ["my mail"])
    #expect(try await transcribe(transcriber, spoken(), context: context).sttPrompt == "write to my mail")
  }

  @Test(
    "C-79 C-80 C-81 C-82 C-83 C-84 C-85 C-86 C-87 T-32 T-44 of a context prior text, history, terms and style are sent")
  func whatLeaves() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let context = TranscriptionContext(
      appName: "APP", windowTitle: "TITLE", fieldLabel: "LABEL", priorText: "before", selectedText: "SELECTED",
      recentTranscripts: ["earlier"], keyTerms: ["term"], styleInstructions: "be formal", isSecureTarget: true)
    _ = try await transcribe(transcriber(transport), spoken(), context: context)
    let config = try parts(transport.requests[0]).config
    for sent in ["earlier\\nbefore", #"["term"]"#, "be formal"] { #expect(config.contains(sent)) }
    for kept in ["APP", "TITLE", "LABEL", "SELECTED", "ecure"] { #expect(!config.contains(kept)) }
  }

  @Test(
    "T-31 T-34 T-60 smart is sent where it is chosen and enhancing is on; the instruction always",
    arguments: [(true, .smart, true), (true, .fast, false), (false, .smart, false), (false, .fast, false)]
      as [(Bool, DictationConfig.RewriteMode, Bool)])
  func rewriteMode(isEnhanced: Bool, mode: DictationConfig.RewriteMode, isSent: Bool) async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let transcript = try await transcribe(transcriber(transport, isEnhanced: isEnhanced, mode: mode), spoken())
    #expect(transcript.text == (isEnhanced ? "Hi." : "um hi"))
    let config = try parts(transport.requests[0]).config
    #expect(config.contains(#""rewrite_mode":"smart""#) == isSent)
    #expect(config.contains("llm_instruction"))
  }

  @Test("T-03 T-10 every setting is read at each request and at each warm-up")
  func settings() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let round = Mutex(0)
    let transcriber = AssemblyAITranscriber(
      transport: transport,
      settings: .init(
        apiKey: { "k\(round.withLock { $0 })" }, baseURL: { "http://\(round.withLock { $0 }).test" },
        userAgent: { "Blurt/\(round.withLock { $0 })" }, isEnhanced: { round.withLock { $0 } == 1 }))
    var texts: [String] = []
    for next in 1...2 {
      round.withLock { $0 = next }
      await transcriber.warmUp()
      texts.append(try await transcribe(transcriber, spoken()).text)
    }
    #expect(texts == ["Hi.", "um hi"])
    #expect(
      transport.requests.map(\.url) == [
        "http://1.test/warm", "http://1.test/v1/transcribe/live", "http://2.test/warm",
        "http://2.test/v1/transcribe/live",
      ])
    #expect(transport.requests.map { $0.header("Authorization") } == [nil, "k1", nil, "k2"])
    #expect(transport.requests.map { $0.header("User-Agent") } == ["Blurt/1", "Blurt/1", "Blurt/2", "Blurt/2"])
  }

  @Test("T-04 a missing or blank key makes no request, not even a warm-up", arguments: [nil, "", " \n"])
  func noKey(key: String?) async {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let transcriber = transcriber(transport, key: key)
    await transcriber.warmUp()
    await #expect(throws: BlurtError.apiKeyMissing) { try await transcribe(transcriber, spoken()) }
    #expect(transport.requests.isEmpty)
  }

  // MARK: Streaming

  @Test("T-24 T-23 T-25 config and audio head are sent when the request opens, then each frame as it comes")
  func streaming() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let speaker = Speaker()
    async let transcript = transcribe(transcriber(transport), speaker)
    let config = DictationConfig(llmInstruction: CleanupInstruction.base).encoded()
    let headCount = MultipartBody.head(config: config, boundary: MultipartBody.makeBoundary()).count
    for _ in 1...5 { speaker.say(640) }
    await transport.wait { $0.first?.body.count == headCount + 3_200 }
    for index in 6...9 {
      speaker.say(640)
      await transport.wait { $0.first?.body.count == headCount + index * 640 }
    }
    #expect(transport.requests.first?.isBodyComplete == false)
    speaker.stop()
    #expect(try await transcript.text == "Hi.")
    #expect(transport.requests.first?.isBodyComplete == true)
  }

  @Test("T-72 T-25 while the request is open a frame is in its body before the capture thread goes on")
  func noTaskBetween() async throws {
    // It never pulls, so that what is in the body stays there.
    let transport = BodyTransport()
    let speaker = Speaker()
    let transcriber = AssemblyAITranscriber(
      transport: transport, settings: .init(apiKey: { "k3y" }, baseURL: { "http://x.test" }, userAgent: { "Blurt/1" }))
    let task = Task { try await transcribe(transcriber, speaker) }
    speaker.say(3_200)
    let body = await transport.body()
    // Until the engine has taken the feed over, a frame may still wait for its task.
    #expect(
      await eventually {
        let before = body.bufferedByteCount
        speaker.say(640)
        return body.bufferedByteCount == before + 640
      })
    for _ in 0..<1_000 {
      let before = body.bufferedByteCount
      speaker.say(640)
      #expect(body.bufferedByteCount == before + 640)
    }
    task.cancel()
    speaker.stop()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Takes a request and holds its body until it is cancelled.
  private struct BodyTransport: HTTPTransport {
    private let bodies: AsyncStream<ChunkedRequestBody>
    private let opened: AsyncStream<ChunkedRequestBody>.Continuation

    init() { (bodies, opened) = AsyncStream.makeStream(of: ChunkedRequestBody.self) }

    func body() async -> ChunkedRequestBody {
      for await body in bodies { return body }
      return ChunkedRequestBody()
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      if case .stream(let body) = request.body { opened.yield(body) }
      let (never, end) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      withExtendedLifetime(end) {}
      throw CancellationError()
    }
  }

  @Test("T-90 S-65 T-96 B-18 a clip under the floor makes no request at all; one of exactly 3,200 bytes is sent")
  func floor() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    await #expect(throws: ClipBelowFloor.self) { try await transcribe(transcriber(transport), spoken(3_198)) }
    #expect(transport.requests.isEmpty)
    #expect(try await transcribe(transcriber(transport), spoken(3_200)).text == "Hi.")
  }

  @Test("H-51 T-77 a shortcut that ends the recording before the floor opens no connection, and is a cancel")
  func cancelUnderFloor() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let speaker = Speaker()
    let transcriber = transcriber(transport)
    let task = Task { try await transcribe(transcriber, speaker) }
    speaker.say(1_920)
    task.cancel()
    speaker.stop()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.isEmpty)
  }

  @Test("T-05 T-75 an early failure ends the request at once and surfaces when the user has stopped talking")
  func earlyFailure() async throws {
    let response = HTTPResponse(status: 401, json: #"{"error":"bad key"}"#)
    let transport = FakeHTTPTransport([.respondEarly(response, afterByteCount: 1)])
    let speaker = Speaker()
    let ended = Mutex(false)
    let transcriber = transcriber(transport)
    let task = Task {
      defer { ended.withLock { $0 = true } }
      return try await transcribe(transcriber, speaker)
    }
    speaker.say(3_200)
    await transport.wait { ($0.first?.body.count ?? 0) > 0 }
    for _ in 0..<20 {
      speaker.say(3_200)
      await Task.yield()
    }
    #expect(!ended.withLock { $0 })
    speaker.stop()
    let error = UnderlyingError(domain: .http, code: 401, message: "")
    await #expect(throws: error) { try await task.value }
    #expect(transport.requests.count == 1)
  }

  @Test("T-77 S-38 a cancel while the user talks is a cancel, and the body gets no proper end")
  func cancelWhileTalking() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let speaker = Speaker()
    let transcriber = transcriber(transport)
    let task = Task { try await transcribe(transcriber, speaker) }
    speaker.say(6_400)
    await transport.wait { ($0.first?.body.count ?? 0) > 6_400 }
    task.cancel()
    speaker.stop()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.first?.isBodyComplete == false)
  }

  @Test("T-77 a cancel while the answer is awaited is a cancel, even if the answer still comes")
  func cancelWhileWaiting() async throws {
    let answer = Gate()
    let transport = FakeHTTPTransport([.respondAfter(answer, Self.said)])
    let transcriber = transcriber(transport)
    let task = Task { try await transcribe(transcriber, spoken()) }
    await answer.waitUntilReached()
    task.cancel()
    answer.open()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("T-80 a press that was cancelled before its request opened makes none")
  func cancelledBefore() async throws {
    let transport = FakeHTTPTransport([.respond(Self.said)])
    let transcriber = transcriber(transport)
    let gate = Gate()
    let task = Task {
      await gate.pass()
      return try await transcribe(transcriber, spoken())
    }
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.isEmpty)
  }

  // MARK: The answer

  @Test("T-61 an answer that is no transcript is a fault of its own")
  func malformed() async {
    let transport = FakeHTTPTransport(json: "<html>sign in</html>")
    let error = UnderlyingError(
      domain: .transcription, code: TranscriptionFault.malformedResponse.rawValue, message: "")
    await #expect(throws: error) { try await transcribe(transcriber(transport), spoken()) }
  }

  @Test("T-61 T-64 an empty text is an empty transcript")
  func emptyText() async throws {
    let transport = FakeHTTPTransport(json: #"{"text":"","llm_response":null}"#)
    #expect(try await transcribe(transcriber(transport), spoken()).text == "")
  }

  @Test("T-65 T-65c T-62 the style that comes back instead of \"Yeah.\" is refused and reported, without its text")
  func leakedStyle() async throws {
    let transport = FakeHTTPTransport(
      json: #"{"text":"Yeah.","llm_response":"Write like a pirate.","llm_error":null}"#)
    let reports = Mutex<[TranscriptionDiagnostics]>([])
    let transcriber = transcriber(transport) { report in reports.withLock { $0.append(report) } }
    let context = TranscriptionContext(styleInstructions: "Write like a pirate.")
    #expect(try await transcribe(transcriber, spoken(), context: context).text == "Yeah.")
    #expect(reports.withLock { $0.map(\.isRewriteRefused) } == [true])
    #expect(!reports.withLock { "\($0)" }.contains("pirate"))
  }

  @Test("T-63 T-62 diagnostics are reported, and a clear shortfall of the audio is one")
  func diagnostics() async throws {
    let reports = Mutex<[TranscriptionDiagnostics]>([])
    func report(_ json: String) async throws -> TranscriptionDiagnostics {
      let transcriber = transcriber(FakeHTTPTransport(json: json)) { report in reports.withLock { $0.append(report) } }
      _ = try await transcribe(transcriber, spoken(64_000))
      return try #require(reports.withLock { $0.last })
    }
    let full = try await report(
      #"{"text":"a","llm_error":"timeout","session_id":"s","audio_duration_ms":2000,"request_time_ms":5,"sync_time_ms":4}"#
    )
    #expect(full.sessionID == "s")
    #expect(full.llmError == "timeout")
    #expect(full.sentAudioMilliseconds == 2_000)
    #expect(full.audioDurationMilliseconds == 2_000)
    #expect(full.requestTimeMilliseconds == 5)
    #expect(full.syncTimeMilliseconds == 4)
    #expect(!full.isUploadCutShort)
    #expect(try await report(#"{"text":"a","audio_duration_ms":1600}"#).isUploadCutShort == false)
    #expect(try await report(#"{"text":"a","audio_duration_ms":1599}"#).isUploadCutShort)
    #expect(try await report(#"{"text":"a"}"#).isUploadCutShort == false)
  }

  @Test(
    "T-84 T-86 T-88 an error status is domain http with what to do next, after one attempt",
    arguments: [
      (400, "key terms"), (401, "valid API key"), (402, "credit"), (403, "may not use"), (404, "BlurtOrigin"),
      (407, "https_proxy"),
      (413, "shorter"), (415, "update"), (429, "wait 7 s"), (500, "try again"), (503, "try again"), (418, "no"),
    ])
  func statuses(status: Int, remedy: String) async throws {
    let transport = FakeHTTPTransport([
      .respond(HTTPResponse(status: status, headers: [("Retry-After", "7")], json: #"{"error":"no, not k3y"}"#))
    ])
    let error = try #require(
      await #expect(throws: UnderlyingError.self) { try await transcribe(transcriber(transport), spoken()) })
    #expect(error == UnderlyingError(domain: .http, code: status, message: ""))
    #expect(error.message.hasPrefix("AssemblyAI answered with HTTP status \(status): no, not [key]."))
    #expect(error.message.contains(remedy))
    #expect(transport.requests.count == 1)
  }

  @Test("T-87 T-78 a transport failure keeps its code; a refused replay has a fault of its own")
  func transportErrors() async {
    let refused = FakeHTTPTransport([.failEarly(HTTPTransportError(code: 7, message: "No way."), afterByteCount: 1)])
    await #expect(throws: UnderlyingError(domain: .curl, code: 7, message: "")) {
      try await transcribe(transcriber(refused), spoken())
    }
    let replay = FakeHTTPTransport([.fail(HTTPTransportError(code: 65, message: "x", isReplay: true))])
    let error = UnderlyingError(domain: .transcription, code: TranscriptionFault.replayRefused.rawValue, message: "")
    await #expect(throws: error) { try await transcribe(transcriber(replay), spoken()) }
    #expect(refused.requests.count == 1)
    #expect(replay.requests.count == 1)
  }

  // MARK: Over the cap

  @Test(
    "B-116 T-66 T-67 T-68 T-07 T-71 after the 413 the rest is read, then the whole clip is sent once, from the file or memory",
    arguments: [true, false])
  func overCap(isKept: Bool) async throws {
    let transport = FakeHTTPTransport([.respondEarly(Self.tooLarge, afterByteCount: 8_000), .respond(Self.said)])
    let speaker = Speaker(recording: isKept ? Recording() : nil)
    let reports = Mutex<[TranscriptionDiagnostics]>([])
    let transcriber = transcriber(transport, mode: .smart) { report in reports.withLock { $0.append(report) } }
    async let transcript = transcribe(transcriber, speaker)
    speaker.say(9_600, 1)
    await transport.wait { ($0.first?.body.count ?? 0) >= 8_000 }
    speaker.say(6_400, 2)
    #expect(transport.requests.count == 1)
    speaker.stop()
    #expect(try await transcript.text == "Hi.")
    let requests = transport.requests
    #expect(requests.map(\.url) == ["http://x.test/v1/transcribe/live", "http://x.test/v1/transcribe"])
    #expect(requests[1].isStream == false)
    #expect(requests[1].header("Authorization") == "k3y")
    let whole = try parts(requests[1])
    #expect(whole.audio == [UInt8](repeating: 1, count: 9_600) + [UInt8](repeating: 2, count: 6_400))
    let live = MultipartBody.head(config: Array(whole.config.utf8), boundary: try boundary(requests[0]))
    #expect(requests[0].body.starts(with: live))
    #expect(try boundary(requests[0]) != boundary(requests[1]))
    #expect(reports.withLock { $0.map(\.usedWholeClip) } == [true])
    #expect(reports.withLock { $0.map(\.sentAudioMilliseconds) } == [500])
  }

  @Test("T-66 any other 413 leads nowhere", arguments: ["{}", #"{"error_code":"other"}"#])
  func other413(json: String) async {
    let transport = FakeHTTPTransport(status: 413, json: json)
    await #expect(throws: UnderlyingError(domain: .http, code: 413, message: "")) {
      try await transcribe(transcriber(transport), spoken())
    }
    #expect(transport.requests.count == 1)
  }

  @Test("T-69 the second request's own error surfaces")
  func secondFails() async {
    let transport = FakeHTTPTransport([.respond(Self.tooLarge), .respond(HTTPResponse(status: 503))])
    await #expect(throws: UnderlyingError(domain: .http, code: 503, message: "")) {
      try await transcribe(transcriber(transport), spoken())
    }
    #expect(transport.requests.count == 2)
  }

  @Test("T-67 a recording that was not kept whole leaves the 413 as it is")
  func brokenRecording() async {
    let recording = Recording()
    recording.breakOff()
    let transport = FakeHTTPTransport([.respond(Self.tooLarge)])
    await #expect(throws: UnderlyingError(domain: .http, code: 413, message: "")) {
      try await transcribe(transcriber(transport), spoken(recording: recording))
    }
    #expect(transport.requests.count == 1)
  }

  @Test("T-67 T-94 over the guard the copy in memory is dropped, and a file is not sent", arguments: [true, false])
  func guardLimit(isKept: Bool) throws {
    let recording = isKept ? Recording() : nil
    var copy = AudioCopy(of: recording, limit: 4)
    for frame in [[1, 2], [3, 4]] as [[UInt8]] {
      frame.withUnsafeBytes { recording?.append($0) }
      copy.append(frame)
    }
    #expect(copy.body(config: [], boundary: "b") != nil)
    [5].withUnsafeBytes { recording?.append($0) }
    copy.append([5])
    #expect(copy.body(config: [], boundary: "b") == nil)
    #expect(copy.byteCount == 5)
  }

  @Test("T-70 cancelled before the second request: there is none; during it: it is aborted")
  func cancelOverCap() async throws {
    let first = Gate()
    let before = FakeHTTPTransport([.respondAfter(first, Self.tooLarge), .respond(Self.said)])
    let transcriber = transcriber(before)
    let task = Task { try await transcribe(transcriber, spoken()) }
    await first.waitUntilReached()
    task.cancel()
    first.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(before.requests.count == 1)

    let during = FakeHTTPTransport([.respond(Self.tooLarge), .hang])
    let second = self.transcriber(during)
    let other = Task { try await transcribe(second, spoken()) }
    await during.wait { $0.count == 2 && $0[1].isBodyComplete }
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
  }

  @Test("T-74 T-68 after an early end the frames that follow are read and dropped, not buffered for nobody")
  func nothingBuffered() async throws {
    let error = HTTPTransportError(code: 55, message: "no")
    let transport = FakeHTTPTransport([.failEarly(error, afterByteCount: 1)])
    let speaker = Speaker()
    let transcriber = transcriber(transport)
    let task = Task { try await transcribe(transcriber, speaker) }
    speaker.say(3_200)
    await transport.wait { ($0.first?.body.count ?? 0) > 0 }
    for _ in 0..<100 { speaker.say(32_000) }
    speaker.stop()
    await #expect(throws: UnderlyingError(domain: .curl, code: 55, message: "")) { try await task.value }
  }
}
