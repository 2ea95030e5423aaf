import AssemblyAI
import BlurtEngine
import BlurtTestSupport
import Foundation
import Testing

@Suite("DeveloperLogLine", .timeLimit(.minutes(1))) struct DeveloperLogLineTests {
  private static let at = Date(timeIntervalSince1970: 1_700_000_000.123)

  private static let context = TranscriptionContext(
    appName: "Editor", windowTitle: "Letter", fieldLabel: "Body", priorText: " Dear Ada,\n", selectedText: "you",
    recentTranscripts: ["earlier"], keyTerms: ["known", "not sent"], styleInstructions: "Be kind.")

  private func text(_ line: DeveloperLogLine) -> String { String(decoding: line.bytes, as: UTF8.self) }

  private func line(_ transcript: Transcript, _ context: TranscriptionContext = context) -> DeveloperLogLine {
    DeveloperLogLine(DictationLogEntry(dictation: 7, transcript: transcript, context: context, at: Self.at))
  }

  private func object(_ line: DeveloperLogLine) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.bytes)) as? [String: Any])
  }

  @Test("S-99 S-101 Y-87 a dictation is the same bytes each time: nine sorted keys, texts as they were, plain slashes")
  func dictation() {
    let line = line(
      Transcript(
        text: "He said \"go/stop\".\nThen \\ and 日本語.", engine: .assemblyai, sttPrompt: "a/b\nc",
        keyTerms: ["Łódź", "x\"y"]))
    #expect(line.file == .dictations)
    #expect(
      text(line) == #"{"app":"Editor","field":"Body","keyterms":["Łódź","x\"y"],"prior":" Dear Ada,\n","#
        + #""selected":"you","stt_prompt":"a/b\nc","transcript":"He said \"go/stop\".\nThen \\ and 日本語.","#
        + #""ts":"2023-11-14T22:13:20.123Z","window":"Letter"}"# + "\n")
  }

  @Test("S-101 what is nil or empty is left out; white space is not empty")
  func empty() {
    let bare = TranscriptionContext(appName: "", windowTitle: nil, fieldLabel: "", priorText: "", selectedText: " ")
    #expect(
      text(line(Transcript(text: "Hi.", engine: .offline, sttPrompt: "", keyTerms: []), bare))
        == #"{"selected":" ","transcript":"Hi.","ts":"2023-11-14T22:13:20.123Z"}"# + "\n")
  }

  @Test(
    "S-101 one object, one newline, whatever the text is",
    arguments: [
      "a\nb\r\nc", "\"", "\\", "\u{0}\u{1B}\u{7F}", "\u{2028}\u{85}", "{\"ts\":1}", "😀👩‍👩‍👧", "//",
    ])
  func anyText(spoken: String) throws {
    let line = line(Transcript(text: spoken, engine: .offline))
    #expect(line.bytes.last == UInt8(ascii: "\n"))
    #expect(line.bytes.dropLast().contains(UInt8(ascii: "\n")) == false)
    #expect(try object(line)["transcript"] as? String == spoken)
  }

  @Test("S-99 the prompt and the terms are those of the request, fitted, and the prior text is the raw one")
  func sent() async throws {
    let transport = FakeHTTPTransport(json: #"{"text":"hi","llm_response":"Hi."}"#)
    let transcriber = AssemblyAITranscriber(
      transport: transport,
      settings: .init(
        apiKey: { "key" }, userAgent: { "test" },
        redactPriorText: { $0.replacingOccurrences(of: "me@example.org", with: "my mail") }))
    let context = TranscriptionContext(
      priorText: " Write to me@example.org ", recentTranscripts: ["first"],
      keyTerms: [" Łódź "] + (0..<200).map { "term \($0)" })
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    feed.yield([UInt8](repeating: 7, count: 6_400))
    feed.finish()
    let transcript = try await transcriber.transcribe(
      AudioFeed(frames: frames, recording: nil), sampleRate: 16_000, context: context)
    let logged = try object(line(transcript, context))
    let body = String(decoding: try #require(transport.requests.last?.body), as: UTF8.self)
    let start = try #require(body.range(of: "{\"channels\""))
    let end = try #require(body.range(of: "}", range: start.lowerBound..<body.endIndex))
    let config = try #require(
      try JSONSerialization.jsonObject(with: Data(body[start.lowerBound..<end.upperBound].utf8)) as? [String: Any])
    #expect(logged["stt_prompt"] as? String == config["stt_prompt"] as? String)
    #expect(logged["stt_prompt"] as? String == "first\nWrite to my mail")
    #expect(logged["keyterms"] as? [String] == config["keyterms_prompt"] as? [String])
    #expect((logged["keyterms"] as? [String])?.count == 100)
    #expect((logged["keyterms"] as? [String])?.first == "Łódź")
    #expect(logged["prior"] as? String == " Write to me@example.org ")
  }

  @Test("S-100 S-101 a failure has its kind, its full description and three names, and nothing that was said or read")
  func failure() {
    let error = BlurtError.sttFailed(
      underlying: UnderlyingError(domain: .http, code: 401, message: "The key is \"refused\"."))
    let line = DeveloperLogLine(DictationFailure(error: error, dictation: 7, context: Self.context, at: Self.at))
    #expect(line.file == .errors)
    #expect(
      text(line) == #"{"app":"Editor","error":"Transcription failed. The key is \"refused\".","field":"Body","#
        + #""kind":"sttFailed","ts":"2023-11-14T22:13:20.123Z","window":"Letter"}"# + "\n")
  }

  @Test("S-100 S-104 a press that was refused has no names to tell")
  func refusal() throws {
    let line = DeveloperLogLine(
      DictationFailure(error: .apiKeyMissing, dictation: 7, context: nil, at: Self.at))
    let object = try object(line)
    #expect(Set(object.keys) == ["error", "kind", "ts"])
    #expect(object["kind"] as? String == "apiKeyMissing")
    #expect(object["error"] as? String == BlurtError.apiKeyMissing.description)
  }

  @Test(
    "S-101 S-102 the time has milliseconds, in UTC, and is never later than the event",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000, "2023-11-14T22:13:20.000Z"),
      (1_700_000_000.9996, "2023-11-14T22:13:20.999Z"), (1_700_000_000.001, "2023-11-14T22:13:20.001Z"),
      (1_709_164_799.5, "2024-02-28T23:59:59.500Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
    ] as [(TimeInterval, String)])
  func timestamp(seconds: TimeInterval, written: String) throws {
    let failure = DictationFailure(
      error: .apiKeyMissing, dictation: 1, context: nil, at: Date(timeIntervalSince1970: seconds))
    #expect(try object(DeveloperLogLine(failure))["ts"] as? String == written)
  }

  @Test("S-101 every millisecond of a second is written as it is")
  func milliseconds() throws {
    for millisecond in 0..<1_000 {
      let at = Date(timeIntervalSince1970: 1_700_000_000 + Double(millisecond) / 1_000)
      let line = DeveloperLogLine(DictationFailure(error: .apiKeyMissing, dictation: 1, context: nil, at: at))
      let digits = String(1_000 + millisecond).dropFirst()
      #expect(text(line).contains(".\(digits)Z"), "\(millisecond)")
    }
  }

  @Test("S-98 S-103 there are two files, and their names are all that other logs say of them")
  func files() {
    #expect(DeveloperLogFile.allCases.map(\.name) == ["dictations.jsonl", "errors.jsonl"])
  }
}
