import BlurtEngine
import BlurtTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct FallbackTranscriberTests {
  private typealias Stub = TranscriptionFixtures.StubTranscriber
  private typealias Speaker = TranscriptionFixtures.Speaker
  private typealias Recording = TranscriptionFixtures.FileRecording

  private static func error(_ domain: UnderlyingError.Domain, _ code: Int) -> UnderlyingError {
    UnderlyingError(domain: domain, code: code, message: "no")
  }

  private static let transient: [UnderlyingError] = [
    error(.curl, 6), error(.curl, 28), error(.http, 429), error(.http, 500), error(.http, 503), error(.http, 599),
    error(.transcription, TranscriptionFault.replayRefused.rawValue),
    error(.transcription, TranscriptionFault.malformedResponse.rawValue),
    error(.command, CommandFault.timedOut.rawValue), error(.command, 75),
    error(.command, CommandFault.crashed.rawValue),
  ]

  private static let lasting: [any Error & Sendable] = [
    error(.http, 400), error(.http, 401), error(.http, 402), error(.http, 403), error(.http, 404), error(.http, 413),
    error(.http, 415), error(.http, 600), error(.command, 1), error(.command, 127),
    error(.command, CommandFault.notStarted.rawValue), error(.command, CommandFault.outputTooLong.rawValue),
    error(.command, 139),
    error(.offline, 1), error(.alsa, -19), error(.other, 0),
    error(.transcription, TranscriptionFault.uploadNeverStarted.rawValue), BlurtError.apiKeyMissing,
    BlurtError.sttFailed(underlying: error(.http, 401)), CancellationError(), ClipBelowFloor(),
  ]

  private func spoken(_ byteCount: Int = 6_400) -> Speaker {
    let speaker = Speaker(recording: Recording())
    speaker.say(byteCount)
    speaker.stop()
    return speaker
  }

  private func failing(_ error: any Error & Sendable) -> Stub { Stub { _, _ in throw error } }
  private let offline = Stub { _, _ in Transcript(text: "heard", engine: .offline) }

  private func transcribe(_ transcriber: FallbackTranscriber, _ speaker: Speaker) async throws -> Transcript {
    try await transcriber.transcribe(speaker.feed, sampleRate: 16_000, context: nil)
  }

  @Test(
    "T-87 T-88 a failure that needs nothing of the user gives the recording to the other engine", arguments: transient)
  func fallsBack(error: UnderlyingError) async throws {
    let transcriber = FallbackTranscriber(primary: failing(error), kind: .assemblyai) { [offline] in offline }
    let transcript = try await transcribe(transcriber, spoken())
    #expect(transcript == Transcript(text: "heard", engine: .offline, fellBackFrom: .assemblyai))
  }

  @Test("S-24 a failure that is already a BlurtError is looked into")
  func wrapped() async throws {
    let error = BlurtError.sttFailed(underlying: Self.error(.http, 503))
    let transcriber = FallbackTranscriber(primary: failing(error), kind: .assemblyai) { [offline] in offline }
    #expect(try await transcribe(transcriber, spoken()).engine == .offline)
  }

  @Test("T-05 T-70 S-65 a refused key or config, 413, a cancel and a clip under the floor do not fall back")
  func lasting() async {
    for error in Self.lasting {
      let transcriber = FallbackTranscriber(primary: failing(error), kind: .assemblyai) { [offline] in offline }
      let thrown = await #expect(throws: (any Error).self) { try await transcribe(transcriber, spoken()) }
      #expect(String(describing: thrown) == String(describing: Optional(error)))
    }
    #expect(offline.callCount == 0)
  }

  @Test("T-68 the rest of the recording is waited for, and then read from its file")
  func drains() async throws {
    let failed = Gate()
    let primary = Stub { _, _ in
      await failed.pass()
      throw Self.error(.curl, 7)
    }
    let recording = Recording()
    let speaker = Speaker(recording: recording)
    let second = Stub { feed, _ in
      var rest = 0
      for await frame in feed.frames { rest += frame.count }
      return Transcript(text: "\(feed.recording?.byteCount ?? 0) and \(rest)", engine: .offline)
    }
    let transcriber = FallbackTranscriber(primary: primary, kind: .assemblyai) { second }
    async let transcript = transcribe(transcriber, speaker)
    speaker.say(6_400)
    failed.open()
    await failed.waitUntilReached()
    speaker.say(6_400)
    #expect(second.callCount == 0)
    speaker.stop()
    let text = try await transcript.text
    #expect(text == "12800 and 0")
  }

  @Test("S-65 a recording under the floor goes to no engine")
  func belowFloor() async {
    let transcriber = FallbackTranscriber(primary: failing(Self.error(.curl, 7)), kind: .assemblyai) { [offline] in
      offline
    }
    await #expect(throws: ClipBelowFloor.self) { try await transcribe(transcriber, spoken(3_198)) }
    #expect(offline.callCount == 0)
  }

  @Test("T-69 the first engine's error surfaces where the second fails too, is not there, or nothing was kept")
  func primaryErrorSurfaces() async {
    let error = Self.error(.http, 503)
    let failing = failing(error)
    let second = Stub { _, _ in throw Self.error(.offline, 3) }
    await #expect(throws: error) {
      try await transcribe(FallbackTranscriber(primary: failing, kind: .assemblyai) { second }, spoken())
    }
    #expect(second.callCount == 1)
    await #expect(throws: error) {
      try await transcribe(FallbackTranscriber(primary: failing, kind: .assemblyai) { nil }, spoken())
    }
    let unkept = Speaker()
    unkept.stop()
    await #expect(throws: error) {
      try await transcribe(FallbackTranscriber(primary: failing, kind: .assemblyai) { [offline] in offline }, unkept)
    }
  }

  @Test("T-77 T-70 a cancel while the rest is waited for asks no second engine")
  func cancelWhileDraining() async {
    let failed = Gate()
    let primary = Stub { _, _ in
      await failed.pass()
      throw Self.error(.curl, 7)
    }
    let speaker = Speaker(recording: Recording())
    speaker.say(6_400)
    let transcriber = FallbackTranscriber(primary: primary, kind: .assemblyai) { [offline] in offline }
    let task = Task { try await transcribe(transcriber, speaker) }
    await failed.waitUntilReached()
    task.cancel()
    failed.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(offline.callCount == 0)
  }

  @Test("T-77 a cancel while the second engine works is a cancel, whatever that engine makes of it")
  func cancelSecond() async {
    let working = Gate()
    let second = Stub { _, _ in
      await working.pass()
      throw Self.error(.offline, 9)
    }
    let transcriber = FallbackTranscriber(primary: failing(Self.error(.curl, 7)), kind: .assemblyai) { second }
    let task = Task { try await transcribe(transcriber, spoken()) }
    await working.waitUntilReached()
    task.cancel()
    working.open()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("T-02 a warm-up warms both engines")
  func warmUp() async {
    let primary = failing(ClipBelowFloor())
    await FallbackTranscriber(primary: primary, kind: .assemblyai) { [offline] in offline }.warmUp()
    #expect(primary.warmUpCount == 1)
    #expect(offline.warmUpCount == 1)
  }

  @Test("T-01 a success of the first engine is passed on as it is")
  func success() async throws {
    let heard = Transcript(text: "a", engine: .assemblyai, sttPrompt: "p", keyTerms: ["k"])
    let transcriber = FallbackTranscriber(primary: Stub { _, _ in heard }, kind: .assemblyai) { [offline] in offline }
    #expect(try await transcribe(transcriber, spoken()) == heard)
    #expect(offline.callCount == 0)
  }
}
