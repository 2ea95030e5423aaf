import BlurtEngine
import BlurtOffline
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("OfflineTranscriber", .timeLimit(.minutes(1)))
struct OfflineTranscriberTests {
  @Test("T-01 a finished feed gives the engine's words, from the recording's own file")
  func answers() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    let recording = FakeRecording(audioPath: "/spool/17.raw")
    let transcript = try await transcriber.transcribe(
      feed(32_000, recording: recording), sampleRate: 16_000, context: nil)
    #expect(transcript == Transcript(text: "heard", engine: .offline))
    #expect(engine.lines(of: "requests").count == 1)
    #expect(engine.text(of: "requests").contains(#""path":"/spool/17.raw""#))
    #expect(!engine.exists("spool"), "nothing of our own was written")
    await transcriber.stop()
  }

  @Test("a feed that another engine has read already is transcribed whole, from its recording")
  func feedReadBefore() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    let recording = FakeRecording(audioPath: "/spool/17.raw", byteCount: 32_000)
    let transcript = try await transcriber.transcribe(feed(0, recording: recording), sampleRate: 16_000, context: nil)
    #expect(transcript.text == "heard")
    #expect(engine.text(of: "requests").contains(#""path":"/spool/17.raw""#))
    await transcriber.stop()
  }

  @Test("T-90 S-65 a feed under the floor throws ClipBelowFloor and asks nothing; one at the floor is transcribed")
  func floor() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    await #expect(throws: ClipBelowFloor()) {
      try await transcriber.transcribe(feed(3_199), sampleRate: 16_000, context: nil)
    }
    #expect(!engine.exists("requests"))
    let transcript = try await transcriber.transcribe(feed(3_200), sampleRate: 16_000, context: nil)
    #expect(transcript.text == "heard")
    await transcriber.stop()
  }

  @Test("audio that is not kept goes through a private file that is removed afterwards")
  func temporaryFile() async throws {
    let engine = try FakeEngine(
      request: #"""
        path=${line#*\"path\":\"}; path=${path%%\"*}
        stat -c '%a %s' "$path" > seen
        reply speech "heard"
        """#)
    let transcriber = engine.transcriber(clock: TestClock())
    let transcript = try await transcriber.transcribe(feed(64_000), sampleRate: 16_000, context: nil)
    #expect(transcript.text == "heard")
    #expect(engine.lines(of: "seen") == ["600 64000"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: engine.path("spool")).isEmpty)
    await transcriber.stop()
  }

  @Test("private files of a daemon that is gone are removed at start, others stay")
  func sweep() throws {
    let engine = try FakeEngine()
    try FileManager.default.createDirectory(atPath: engine.path("spool"), withIntermediateDirectories: true)
    // No process has a number over the kernel's highest.
    try engine.write("x", to: "spool/offline-4194305-1.raw")
    try engine.write("x", to: "spool/offline-\(getpid())-1.raw")
    try engine.write("x", to: "spool/20240101-1.raw")
    _ = engine.transcriber(clock: TestClock())
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: engine.path("spool")).sorted() == [
        "20240101-1.raw", "offline-\(getpid())-1.raw",
      ])
  }

  @Test("B-115 what found no room in the recording's file is transcribed with it, and the copy is removed")
  func roomless() async throws {
    let engine = try FakeEngine(
      request: #"path=${line#*\"path\":\"}; wc -c < "${path%%\"*}" > size; reply speech "heard""#)
    try engine.write(String(repeating: "x", count: 3_200), to: "full.pcm")
    let transcriber = engine.transcriber(clock: TestClock())
    let recording = FakeRecording(
      audioPath: engine.path("full.pcm"), byteCount: 3_200, isComplete: false,
      unwritten: [UInt8](repeating: 7, count: 28_800))
    let transcript = try await transcriber.transcribe(
      feed(32_000, recording: recording), sampleRate: 16_000, context: nil)
    #expect(transcript.text == "heard" && engine.lines(of: "size") == ["32000"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: engine.path("spare")) == [])
    await transcriber.stop()
  }

  @Test("a recording that was not written down whole is not transcribed in part")
  func incomplete() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    let recording = FakeRecording(audioPath: "/spool/17.raw", byteCount: 640, isComplete: false)
    let fault = await fault {
      try await transcriber.transcribe(feed(32_000, recording: recording), sampleRate: 16_000, context: nil)
    }
    #expect(fault == .incompleteRecording)
    #expect(!engine.exists("requests"))
    await transcriber.stop()
  }

  @Test("no speech is an empty text; no sound at all is a capture failure that names the microphone")
  func outcomes() async throws {
    let engine = try FakeEngine(request: #"case $line in *hush*) reply noSpeech "";; *) reply noSound "";; esac"#)
    let transcriber = engine.transcriber(clock: TestClock())
    let silent = try await transcriber.transcribeFile("/hush.raw")
    #expect(silent.text.isEmpty)
    let error = await #expect(throws: BlurtError.self) { try await transcriber.transcribeFile("/dead.raw") }
    #expect(error?.diagnosticName == "audioCaptureFailed")
    #expect(error?.underlying?.code == CaptureFault.inputNeverDelivered.rawValue)
    #expect(error?.description.contains("muted") == true)
    await transcriber.stop()
  }

  @Test("an error of the engine reaches the seam with its code and its sentence, and the process goes on")
  func engineError() async throws {
    let engine = try FakeEngine(
      request: #"""
        case $line in
          *broken*) printf '{"id":%s,"error":{"code":4,"message":"It is not a WAV file."}}\n' "$id";;
          *) reply speech "heard";;
        esac
        """#)
    let transcriber = engine.transcriber(clock: TestClock())
    let error = await #expect(throws: UnderlyingError.self) { try await transcriber.transcribeFile("/broken.wav") }
    #expect(error == OfflineFault.unreadableAudio.error(""))
    #expect(error?.message == "It is not a WAV file.")
    #expect(try await transcriber.transcribeFile("/good.wav").text == "heard")
    #expect(engine.lines(of: "starts").count == 1)
    await transcriber.stop()
  }

  @Test("without the engine's files or its program the error says what to run")
  func missing() async throws {
    let engine = try FakeEngine()
    let none = OfflineTranscriber(
      installation: { nil }, program: engine.program, temporaryFolder: engine.path("spool"), idleMinutes: { 0 },
      clock: TestClock())
    let notInstalled = await #expect(throws: UnderlyingError.self) { try await none.transcribeFile("/a.raw") }
    #expect(notInstalled == OfflineFault.notInstalled.error(""))
    #expect(notInstalled?.message.contains("scripts/fetch-offline-engine.sh") == true)

    let lost = OfflineTranscriber(
      installation: { OfflineInstallation(folder: "/x") }, program: engine.path("absent"),
      temporaryFolder: engine.path("spool"), idleMinutes: { 0 }, clock: TestClock())
    await lost.warmUp()
    #expect(await fault { try await lost.transcribeFile("/a.raw") } == .notStarted)
    await lost.stop()
  }

  @Test("T-77 a cancelled task ends at once with CancellationError while the feed still grows")
  func cancelWhileSpeaking() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    continuation.yield([UInt8](repeating: 7, count: 6_400))
    let task = Task { try await transcriber.transcribe(AudioFeed(frames: frames), sampleRate: 16_000, context: nil) }
    try await eventually("the private file is there") {
      (try? FileManager.default.contentsOfDirectory(atPath: engine.path("spool")).count) == 1
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: engine.path("spool")).isEmpty)
    #expect(!engine.exists("requests"))
    continuation.finish()
    await transcriber.stop()
  }
}
