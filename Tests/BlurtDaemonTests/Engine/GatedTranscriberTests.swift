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
  private func gate(_ answer: String) throws -> OfflineTranscriber {
    try scratch.write(
      """
      #!/bin/sh
      echo '{"ready":{"libraryVersion":30000,"sandbox":"seccomp","loadMilliseconds":1}}'
      while read -r line; do
        echo "$line" >> '\(scratch.path)/requests'
        id=${line#*\\"id\\":}; id=${id%%[,\\}]*}
        \(answer)
      done
      """, to: "engine", mode: 0o755)
    return OfflineTranscriber(
      installation: { OfflineInstallation(folder: "/engine-files") }, program: scratch.path + "/engine",
      temporaryFolder: scratch.path + "/offline", idleMinutes: { 0 }, clock: ContinuousClock())
  }

  private func reply(_ outcome: String) -> String {
    #"printf '{"id":%s,"answer":{"outcome":"\#(outcome)","text":"","audioSeconds":1,"speechSeconds":1,"gateMilliseconds":1,"decodeMilliseconds":0}}\n' "$id""#
  }

  private func transcribe(_ gate: OfflineTranscriber?, sample: UInt8 = 100, isKept: Bool = true) async throws
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
    _ answer: String, _ body: (OfflineTranscriber) async throws -> Void
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
    }
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

  @Test("a recording that is not kept goes to the engine as it comes")
  func notKept() async throws {
    #expect(try await transcribe(nil, isKept: false).text == "heard 32000")
  }
}
