import BlurtEngine
import BlurtOffline
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("The gate before engines that make up words", .timeLimit(.minutes(1))) struct GatedTranscriberTests {
  private let scratch: ScratchFolder
  private let asked = Box(0)

  init() throws { scratch = try ScratchFolder() }

  private struct Engine: TranscriberProtocol {
    let asked: Box<Int>

    func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript {
      asked.update { $0 += 1 }
      var count = 0
      for await frame in feed.frames { count += frame.count }
      return Transcript(text: "heard \(max(count, feed.recording?.byteCount ?? 0))", engine: .openai)
    }
  }

  /// The offline engine's process, played by a shell that gives every recording this answer.
  private func gate(_ answer: String) throws -> OfflineGate {
    try scratch.write(
      """
      #!/bin/sh
      echo "$*" > '\(scratch.path)/arguments'
      echo '{"ready":{"libraryVersion":30000,"sandbox":"seccomp","loadMilliseconds":1}}'
      while read -r line; do
        echo "$line" >> '\(scratch.path)/requests'
        id=${line#*\\"id\\":}; id=${id%%[,\\}]*}
        \(answer)
      done
      """, to: "engine", mode: 0o755)
    return OfflineGate(
      installation: { OfflineInstallation(folder: "/engine-files") }, program: scratch.path + "/engine",
      idleMinutes: { 0 }, clock: ContinuousClock())
  }

  private func reply(_ outcome: String, _ more: String = "") -> String {
    #"printf '{"id":%s,"answer":{"outcome":"\#(outcome)","text":"","audioSeconds":1,"speechSeconds":1,"gateMilliseconds":1,"decodeMilliseconds":0\#(more)}}\n' "$id""#
  }

  private func transcribe(_ gate: OfflineGate?, sample: UInt8 = 100, isKept: Bool = true) async throws
    -> Transcript
  {
    let spool = RecordingSpool(directory: scratch.path + "/spool")
    let recording = isKept ? spool.begin(dictation: 1) : nil
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let bytes = [UInt8](repeating: sample, count: 32_000)
    bytes.withUnsafeBytes { recording?.append($0) }
    feed.yield(bytes)
    feed.finish()
    let gated = GatedTranscriber(Engine(asked: asked), kind: .openai, gate: gate)
    return try await gated.transcribe(
      AudioFeed(frames: frames, recording: recording), sampleRate: 16_000, context: nil)
  }

  private func with(
    _ answer: String, _ body: (OfflineGate) async throws -> Void
  ) async throws {
    let gate = try gate(answer)
    do { try await body(gate) } catch {
      await gate.stop()
      throw error
    }
    await gate.stop()
  }

  @Test("a recording with speech goes to the engine whole")
  func speech() async throws {
    try await with(reply("speech")) { gate in
      let transcript = try await transcribe(gate)
      #expect(transcript.text == "heard 32000")
      let request = String(decoding: TestFile.bytes(scratch.path + "/requests") ?? [], as: UTF8.self)
      #expect(request.contains(#""gateOnly":true"#))
      #expect(
        String(decoding: TestFile.bytes(scratch.path + "/arguments") ?? [], as: UTF8.self).hasPrefix("--serve-gate "))
    }
  }

  @Test("silence before the first word and behind the last one is cut off, but for half a second")
  func cut() async throws {
    try await with(reply("speech", #","speechStart":0.7,"speechEnd":0.9"#)) { gate in
      // One second of sound: 0.2 s to its end.
      let text = try await transcribe(gate).text
      #expect(text == "heard 25600")
    }
  }

  @Test(
    "what is cut lies in the recording, in whole samples, and is never under the floor",
    arguments: [
      (1.0, 2.0, 320_000, 16_000..<80_000), (0.2, 9.9, 320_000, nil), (0.2, 9.0, 320_000, 0..<304_000),
      (0.00003, 8.00003, 320_000, 0..<272_000), (3.0, 2.0, 320_000, nil), (-1.0, 99.0, 320_000, nil),
      (20.0, 21.0, 320_000, nil), (.infinity, .nan, 320_000, nil), (0.51, 0.52, 1_000, nil),
    ] as [(Double, Double, Int, Range<Int>?)])
  func range(start: Double, end: Double, byteCount: Int, expected: Range<Int>?) {
    var answer = OfflineAnswer(outcome: .speech)
    (answer.speechStart, answer.speechEnd) = (start, end)
    #expect(GatedTranscriber.speech(in: answer, byteCount: byteCount) == expected)
    #expect(GatedTranscriber.speech(in: OfflineAnswer(outcome: .speech), byteCount: byteCount) == nil)
  }

  @Test("a recording in which nobody speaks has no words, and the engine is not asked")
  func silence() async throws {
    try await with(reply("noSpeech")) { gate in
      let transcript = try await transcribe(gate)
      #expect(transcript == Transcript(text: "", engine: .openai))
      #expect(asked.value == 0)
    }
  }

  @Test("a muted microphone is told, with the gate and without it", arguments: [true, false])
  func muted(hasGate: Bool) async throws {
    try await with(reply("noSound")) { gate in
      await #expect(throws: OfflineTranscriber.noSound) { try await transcribe(hasGate ? gate : nil, sample: 0) }
      #expect(asked.value == 0)
    }
  }

  @Test("a gate that crashes stops nothing: the engine is asked")
  func crash() async throws {
    try await with("exit 1") { gate in
      let transcript = try await transcribe(gate)
      #expect(transcript.text == "heard 32000")
    }
  }

  @Test("the gate answers while the offline engine works on a long recording")
  func besideALongJob() async throws {
    try scratch.write("", to: "nothing")
    try scratch.write(
      """
      #!/bin/sh
      echo '{"ready":{"libraryVersion":30000,"sandbox":"seccomp","loadMilliseconds":1}}'
      read -r line && touch '\(scratch.path)/works'
      while :; do sleep 1; done
      """, to: "busy", mode: 0o755)
    let offline = OfflineTranscriber(
      installation: { OfflineInstallation(folder: "/engine-files") }, program: scratch.path + "/busy",
      temporaryFolder: scratch.path + "/offline", idleMinutes: { 0 }, clock: ContinuousClock())
    let long = Task { [path = scratch.path + "/nothing"] in try await offline.transcribeFile(path) }
    #expect(await eventually { TestFile.bytes(scratch.path + "/works") != nil })
    try await with(reply("speech")) { gate in
      let text = try await transcribe(gate).text
      #expect(text == "heard 32000")
    }
    await offline.stop()
    await #expect(throws: (any Error).self) { try await long.value }
  }

  @Test("a recording that is not kept goes to the engine as it comes")
  func notKept() async throws {
    #expect(try await transcribe(nil, isKept: false).text == "heard 32000")
  }
}
