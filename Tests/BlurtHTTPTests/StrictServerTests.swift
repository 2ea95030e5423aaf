import AssemblyAI
import BlurtHTTP
import BlurtTestSupport
import FoundationEssentials
import Testing

/// The server that the other suites trust: it must refuse what the service refuses, and know the right sound.
@Suite(
  .serialized, .timeLimit(.minutes(1)), .enabled(if: StrictServer.isAvailable, "needs /usr/bin/python3 for the server"))
struct StrictServerTests {
  private static let boundary = "blurt-11111111-2222-3333-4444-555555555555"

  private func send(
    _ server: StrictServer, to path: String = "/v1/transcribe", key: String? = "test-key",
    contentType: String? = nil, headers: [(name: String, value: String)] = [("User-Agent", "Blurt")],
    _ body: HTTPRequest.Body
  ) async throws -> HTTPResponse {
    let transport = try CurlTransport(CurlOptions())
    defer { transport.stop() }
    var all = headers
    if let key { all.append(("Authorization", key)) }
    all.append(("Content-Type", contentType ?? MultipartBody.contentType(boundary: Self.boundary)))
    return try await transport.send(HTTPRequest(method: "POST", url: server.baseURL + path, headers: all, body: body))
  }

  private func body(config: String, _ audio: [UInt8] = [UInt8](repeating: 1, count: 3_200)) -> HTTPRequest.Body {
    .bytes(
      MultipartBody.head(config: Array(config.utf8), boundary: Self.boundary) + audio
        + MultipartBody.tail(boundary: Self.boundary))
  }

  private let good = #"{"channels":1,"sample_rate":16000}"#

  @Test(
    "T-23 T-26 T-27 T-28 T-29 T-30 T-32 T-33 a bad config is refused with 400",
    arguments: [
      (#"{"channels":1,"sample_rate":16000,"prompt":"x"}"#, "unknown config field"),
      (#"{"channels":1,"sample_rate":16000,"language":"en"}"#, "unknown config field"),
      (#"{"channels":1,"sample_rate":8000}"#, "sample_rate"),
      (#"{"channels":2,"sample_rate":16000}"#, "channels"),
      (#"{"sample_rate":16000}"#, "channels"),
      (#"{"channels":1,"channels":1,"sample_rate":16000}"#, "twice"),
      (#"{"channels":1,"sample_rate":16000,"stt_prompt":""}"#, "stt_prompt"),
      (#"{"channels":1,"sample_rate":16000,"keyterms_prompt":[]}"#, "keyterms_prompt"),
      (#"{"channels":1,"sample_rate":16000,"rewrite_mode":"wild"}"#, "rewrite_mode"),
      (#"{"channels":1,"#, "JSON"),
    ])
  func badConfig(config: String, reason: String) async throws {
    let server = try StrictServer()
    let response = try await send(server, body(config: config))
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self).contains(reason))
  }

  @Test("T-28 T-29 T-30 a field is taken at its cap and refused above it")
  func caps() async throws {
    let server = try StrictServer()
    func status(_ config: DictationConfig) async throws -> Int {
      try await send(server, body(config: String(decoding: config.encoded(), as: UTF8.self))).status
    }
    let emoji = String(repeating: "😀", count: 4_096)
    let terms = (0..<100).map { _ in "term" }
    let instruction = String(repeating: "é", count: 1_024)
    let statuses = [
      try await status(DictationConfig(sttPrompt: emoji, keyTerms: terms, llmInstruction: instruction)),
      try await status(DictationConfig(sttPrompt: emoji + "x")),
      try await status(DictationConfig(keyTerms: terms + ["x"])),
      try await status(DictationConfig(keyTerms: [instruction])),
      try await status(DictationConfig(keyTerms: [instruction, "x"])),
      try await status(DictationConfig(llmInstruction: instruction + "x")),
    ]
    #expect(statuses == [200, 400, 400, 200, 400, 400])
  }

  @Test("T-06 T-13 T-14 T-15 T-16 T-19 T-23 T-66 a request of another form is refused")
  func badRequests() async throws {
    let server = try StrictServer()
    let good = body(config: good)
    #expect(try await send(server, good).status == 200)
    #expect(try await send(server, key: nil, good).status == 401)
    #expect(try await send(server, key: "other", good).status == 401)
    #expect(try await send(server, key: "Bearer test-key", good).status == 401)
    #expect(try await send(server, contentType: "audio/pcm", good).status == 415)
    #expect(try await send(server, contentType: "multipart/form-data; boundary=x", good).status == 400)
    #expect(try await send(server, to: "/v2/transcript", good).status == 404)
    // T-17: the live route wants chunks.
    #expect(try await send(server, to: "/v1/transcribe/live", good).status == 400)
    #expect(try await send(server, headers: [("User-Agent", "Blurt"), ("X-Model", "m")], good).status == 400)
    #expect(try await send(server, headers: [("User-Agent", "Blurt"), ("Expect", "100-continue")], good).status == 417)
    #expect(try await send(server, headers: [], good).status == 400)
    let audioFirst = Array(
      "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"audio\"; filename=\"audio.pcm\"\r\n".utf8)
    let response = try await send(server, .bytes(audioFirst + [UInt8](repeating: 1, count: 3_200)))
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self).contains("config must precede audio"))
    let open = MultipartBody.head(config: Array(self.good.utf8), boundary: Self.boundary) + [1, 2]
    #expect(try await send(server, .bytes(open)).status == 400)
    #expect(try await send(server, body(config: self.good, [1, 2, 3])).status == 400)
  }

  @Test("T-96 a clip under the floor is answered with an empty text")
  func belowFloor() async throws {
    let server = try StrictServer()
    let response = try await send(server, body(config: good, [UInt8](repeating: 1, count: 3_198)))
    #expect(try DictationResponse(decoding: response.body).text == "")
  }

  @Test("the audio that arrived is compared with the audio that was played")
  func comparison() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/blurt-comparison-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Noise: alike only to itself.
    var state: UInt32 = 1
    let noise = (0..<32_000).flatMap { _ -> [UInt8] in
      state = state &* 1_664_525 &+ 1_013_904_223
      let sample = Int16(truncatingIfNeeded: Int(state >> 18) - 8_192)
      return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
    }
    try Data(wave(noise)).write(to: URL(filePath: folder + "/played.wav"))
    let server = try StrictServer("--expect-audio", folder + "/played.wav", "--save-audio", folder + "/got.wav")
    let silence = [UInt8](repeating: 0, count: 8_000)
    _ = try await send(server, body(config: good, silence + noise))
    _ = try await send(server, body(config: good, Array(noise.reversed())))
    let correlations = try await server.wait(for: "comparison", count: 2).compactMap(\.correlation)
    #expect(correlations[0] > 0.99)
    #expect(correlations[1] < 0.2)
    let saved = try Data(contentsOf: URL(filePath: folder + "/got.wav"))
    #expect(Array(saved) == wave(Array(noise.reversed())))
  }

  /// A WAV file of 16 kHz mono samples.
  private func wave(_ audio: [UInt8]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    return Array("RIFF".utf8) + little(36 + audio.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
      + little(1, 2) + little(16_000, 4) + little(32_000, 4) + little(2, 2) + little(16, 2) + Array("data".utf8)
      + little(audio.count, 4) + audio
  }
}
