import AssemblyAI
import BlurtEngine
import BlurtTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OpenAITranscriberTests {
  private typealias Speaker = TranscriptionFixtures.Speaker

  private func transcriber(
    _ transport: FakeHTTPTransport, address: String? = "http://127.0.0.1:8000", key: String? = nil,
    language: String? = nil
  ) -> OpenAITranscriber {
    OpenAITranscriber(
      transport: transport,
      settings: .init(
        address: { address }, apiKey: { key }, model: { "whisper-1" }, language: { language },
        userAgent: { "Blurt/1 (Linux)" }))
  }

  private func spoken(_ byteCount: Int = 6_400, recording: TranscriptionFixtures.FileRecording? = nil) -> Speaker {
    let speaker = Speaker(recording: recording)
    speaker.say(byteCount)
    speaker.stop()
    return speaker
  }

  private func transcribe(
    _ transcriber: OpenAITranscriber, _ speaker: Speaker? = nil, terms: [String] = []
  ) async throws -> Transcript {
    try await transcriber.transcribe(
      (speaker ?? spoken()).feed, sampleRate: 16_000, context: TranscriptionContext(keyTerms: terms))
  }

  @Test("the form has the fields in order, then the recording as a WAV file, byte for byte", arguments: [false, true])
  func form(isKept: Bool) async throws {
    let transport = FakeHTTPTransport(json: #"{"text":" Hello. "}"#)
    let recording = isKept ? TranscriptionFixtures.FileRecording() : nil
    let transcript = try await transcribe(
      transcriber(transport, key: "sk-1", language: "en"), spoken(6_400, recording: recording), terms: ["Blurt", "Ö"])
    #expect(
      transcript == Transcript(text: "Hello.", engine: .openai, sttPrompt: "Blurt, Ö.", keyTerms: ["Blurt", "Ö"]))
    let request = try #require(transport.requests.first)
    #expect(request.method == "POST" && request.url == "http://127.0.0.1:8000/v1/audio/transcriptions")
    #expect(request.header("Authorization") == "Bearer sk-1" && request.header("User-Agent") == "Blurt/1 (Linux)")
    #expect(!request.isStream && request.totalTimeout == nil)
    // A minute, and the recording's own length.
    #expect(request.stallTimeout == .milliseconds(60_200))
    let type = try #require(request.header("Content-Type"))
    let boundary = try #require(type.split(separator: "boundary=").last.map(String.init))
    #expect(boundary.hasPrefix("blurt-"))
    func field(_ name: String, _ value: String) -> String {
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }
    let head =
      field("model", "whisper-1") + field("response_format", "json") + field("temperature", "0")
      + field("language", "en") + field("prompt", "Blurt, Ö.")
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"audio.wav\"\r\n"
      + "Content-Type: audio/wav\r\n\r\n"
    let wav = WAVHeader.make(sampleByteCount: 6_400) + [UInt8](repeating: 7, count: 6_400)
    #expect(request.body == Array(head.utf8) + wav + Array("\r\n--\(boundary)--\r\n".utf8))
  }

  @Test("without a key, a language and key terms none of them is sent")
  func bare() async throws {
    let transport = FakeHTTPTransport(json: #"{"text":"x"}"#)
    let transcript = try await transcribe(transcriber(transport))
    let request = try #require(transport.requests.first)
    #expect(request.header("Authorization") == nil && transcript.sttPrompt == nil && transcript.keyTerms == [])
    let body = String(decoding: request.body, as: UTF8.self)
    for name in ["language", "prompt", "stream"] { #expect(!body.contains("name=\"\(name)\"")) }
  }

  @Test(
    "people write the base with or without /v1, or the whole route",
    arguments: [
      ("http://h:1", "http://h:1/v1/audio/transcriptions", "http://h:1/v1/models"),
      ("http://h:1/v1", "http://h:1/v1/audio/transcriptions", "http://h:1/v1/models"),
      ("https://h/api/v1", "https://h/api/v1/audio/transcriptions", "https://h/api/v1/models"),
      ("https://h/openai", "https://h/openai/v1/audio/transcriptions", "https://h/openai/v1/models"),
      ("http://h/v1/audio/transcriptions", "http://h/v1/audio/transcriptions", "http://h/v1/models"),
      ("http://h:8080/inference", "http://h:8080/inference", nil),
    ] as [(String, String, String?)])
  func endpoints(address: String, route: String, models: String?) {
    let endpoint = OpenAIEndpoint(address)
    #expect(endpoint.transcriptions == route && endpoint.models == models)
    let root = address.split(separator: "/").prefix(2).joined(separator: "//")
    #expect(endpoint.health == root + "/health")
  }

  @Test(
    "an answer is JSON with a text, or the text alone",
    arguments: [
      (#"{"text":" Hi "}"#, "Hi"), (#"{"text":""}"#, ""), (#"{"task":"transcribe","text":"Hi","segments":[]}"#, "Hi"),
      ("Hi there.\n", "Hi there."), ("", ""), (#"{"text":"[BLANK_AUDIO]"}"#, ""), ("[BLANK_AUDIO]\n", ""),
      ("[laughs] Hi", nil), (#"{"text":5}"#, nil), (#"{"result":"x"}"#, nil), ("{", nil), ("<html>Sign in</html>", nil),
    ] as [(String, String?)])
  func answers(body: String, text: String?) async throws {
    let transport = FakeHTTPTransport([.respond(HTTPResponse(status: 200, body: Array(body.utf8)))])
    if let text {
      #expect(try await transcribe(transcriber(transport)).text == text)
    } else {
      let error = await #expect(throws: UnderlyingError.self) { try await transcribe(transcriber(transport)) }
      #expect(error?.domain == .transcription && error?.code == TranscriptionFault.malformedResponse.rawValue)
      #expect(error?.message.contains("BlurtOpenAIOrigin") == true)
    }
  }

  @Test(
    "T-84 every refusal has the server's words, without the key, and what to do",
    arguments: [
      (400, #"{"error":{"message":"bad field"}}"#, "bad field", "BlurtOpenAIModel"),
      (401, #"{"error":{"message":"Incorrect key sk-secret."}}"#, "Incorrect key [key].", "blurtctl key set"),
      (402, "", "status 402", "credit"), (403, #"{"detail":"forbidden"}"#, "forbidden", "key"),
      (404, #"{"detail":"Model x is not installed locally."}"#, "not installed", "BlurtOpenAIOrigin"),
      (413, "too big\nreally", "too big really", "shorter"), (415, #"{"error":"no"}"#, "no", "WAV"),
      (429, "", "status 429", "wait 7 s"), (500, "stof", "stof", "try again"), (503, "", "503", "try again"),
    ])
  func refusals(status: Int, body: String, words: String, remedy: String) async throws {
    let response = HTTPResponse(status: status, headers: [("Retry-After", "7")], body: Array(body.utf8))
    let error = await #expect(throws: UnderlyingError.self) {
      try await transcribe(transcriber(FakeHTTPTransport([.respond(response)]), key: "sk-secret"))
    }
    #expect(error?.domain == .http && error?.code == status)
    let message = try #require(error?.message)
    #expect(message.contains(words) && message.contains(remedy) && message.contains("127.0.0.1:8000"), "\(message)")
    #expect(!message.contains("secret") && !message.contains("\n"))
  }

  @Test(
    "a transport failure, 429 and 5xx give the recording to the offline engine; a wrong key and a wrong model do not")
  func fallback() async throws {
    let offline = TranscriptionFixtures.StubTranscriber { _, _ in Transcript(text: "heard", engine: .offline) }
    func engine(_ reaction: FakeHTTPTransport.Reaction) async throws -> Transcript {
      let transcriber = FallbackTranscriber(primary: transcriber(FakeHTTPTransport([reaction])), kind: .openai) {
        offline
      }
      return try await transcriber.transcribe(
        spoken(recording: .init()).feed, sampleRate: 16_000, context: nil)
    }
    let lost = HTTPTransportError(code: 7, message: "No connection.")
    for reaction in [
      FakeHTTPTransport.Reaction.fail(lost), .respond(HTTPResponse(status: 429)), .respond(HTTPResponse(status: 502)),
    ] {
      let transcript = try await engine(reaction)
      #expect(transcript.engine == .offline && transcript.fellBackFrom == .openai)
    }
    for status in [400, 401, 402, 403, 404, 413, 415] {
      await #expect(throws: UnderlyingError.self) { try await engine(.respond(HTTPResponse(status: status))) }
    }
  }

  @Test("S-65 T-04 a clip under the floor and a server that is not set make no request")
  func noRequest() async {
    let transport = FakeHTTPTransport(json: #"{"text":"x"}"#)
    await #expect(throws: ClipBelowFloor.self) { try await transcribe(transcriber(transport), spoken(3_198)) }
    await #expect(throws: EngineChoice.openAIIsNotSet) { try await transcribe(transcriber(transport, address: nil)) }
    #expect(transport.requests.isEmpty)
  }

  @Test("T-77 a cancel while the user speaks or the server works is a cancel")
  func cancelled() async throws {
    let transport = FakeHTTPTransport([.hang])
    let working = Task { [self] in try await transcribe(transcriber(transport)) }
    await transport.wait { $0.first?.isBodyComplete == true }
    working.cancel()
    await #expect(throws: CancellationError.self) { try await working.value }
    let speaker = Speaker()
    let speaking = Task { [self] in try await transcribe(transcriber(transport), speaker) }
    speaking.cancel()
    await #expect(throws: CancellationError.self) { try await speaking.value }
    #expect(transport.requests.count == 1)
  }

  @Test("B-115 what found no room in the recording's file is sent behind it", arguments: [false, true])
  func roomless(wasGated: Bool) async throws {
    let recording = TranscriptionFixtures.FileRecording()
    let speaker = Speaker(recording: recording)
    speaker.say(3_200)
    recording.fill()
    speaker.say(6_400)
    speaker.stop()
    // A gate before the engine has read the frames.
    if wasGated { for await _ in speaker.feed.frames {} }
    let transport = FakeHTTPTransport(json: #"{"text":"x"}"#)
    _ = try await transcribe(transcriber(transport), speaker)
    let body = try #require(transport.requests.first?.body)
    let wav = WAVHeader.make(sampleByteCount: 9_600) + [UInt8](repeating: 7, count: 9_600)
    #expect(body.split(separator: wav, maxSplits: 2).count == 2)
  }

  @Test("a recording that was not written down whole is not sent for a whole one")
  func incomplete() async {
    let recording = TranscriptionFixtures.FileRecording()
    let speaker = spoken(recording: recording)
    recording.breakOff()
    let transport = FakeHTTPTransport(json: #"{"text":"x"}"#)
    await #expect(throws: UnderlyingError.self) { try await transcribe(transcriber(transport), speaker) }
    #expect(transport.requests.isEmpty)
  }

  @Test("key terms go into the prompt whole, in order, up to 600 bytes")
  func prompt() {
    #expect(OpenAIPrompt.make([]).text == "" && OpenAIPrompt.make([" ", ""]).terms == [])
    let term = String(repeating: "é", count: 50)
    let made = OpenAIPrompt.make([term, term, term, term, term, term, "x"])
    #expect(made.terms == [term, term, term, term, term])
    #expect(made.text.utf8.count == 5 * 100 + 4 * 2 + 1)
    let exact = OpenAIPrompt.make([String(repeating: "a", count: 599)])
    #expect(exact.text.utf8.count == OpenAIPrompt.byteLimit && exact.terms.count == 1)
    #expect(OpenAIPrompt.make([String(repeating: "a", count: 600)]).terms == [])
  }

  @Test("T-98 T-99 T-100 a key is checked by the list of models; a server without one takes any")
  func keyCheck() async {
    let expected: [(Int, APIKeyValidator.Verdict)] = [
      (200, .valid), (404, .valid), (405, .valid), (400, .invalid), (401, .invalid), (403, .invalid), (422, .invalid),
      (429, .unreachable), (500, .unreachable), (302, .unreachable),
    ]
    for (status, verdict) in expected {
      let transport = FakeHTTPTransport(status: status, json: "{}")
      let validator = OpenAIKeyValidator(transport: transport, userAgent: "B") { "http://h" }
      #expect(await validator.validate("k") == verdict)
      #expect(transport.requests.first?.url == "http://h/v1/models")
      #expect(transport.requests.first?.header("Authorization") == "Bearer k")
    }
    let lost = FakeHTTPTransport([.fail(HTTPTransportError(code: 7, message: ""))])
    #expect(await OpenAIKeyValidator(transport: lost, userAgent: "B") { "http://h" }.validate("k") == .unreachable)
    #expect(await OpenAIKeyValidator(transport: lost, userAgent: "B") { nil }.validate("k") == .unreachable)
  }
}
