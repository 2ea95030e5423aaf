import BlurtEngine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct SelectingTranscriberTests {
  private typealias Stub = TranscriptionFixtures.StubTranscriber

  @Test("T-03 the engine is chosen anew for each utterance and each warm-up, once each")
  func selection() async throws {
    let first = Stub { _, _ in Transcript(text: "1", engine: .assemblyai) }
    let second = Stub { _, _ in Transcript(text: "2", engine: .offline) }
    let choices = Mutex<[Stub]>([first, second, second])
    let transcriber = SelectingTranscriber { choices.withLock { $0.removeFirst() } }
    let speaker = TranscriptionFixtures.Speaker()
    #expect(try await transcriber.transcribe(speaker.feed, sampleRate: 16_000, context: nil).text == "1")
    #expect(try await transcriber.transcribe(speaker.feed, sampleRate: 16_000, context: nil).text == "2")
    await transcriber.warmUp()
    #expect(second.warmUpCount == 1)
    #expect(first.warmUpCount == 0)
    #expect(choices.withLock { $0.isEmpty })
  }

  @Test("T-02 S-24 what the choice throws is the utterance's error, and a warm-up swallows it")
  func failing() async {
    let transcriber = SelectingTranscriber { throw BlurtError.apiKeyMissing }
    await transcriber.warmUp()
    await #expect(throws: BlurtError.apiKeyMissing) {
      try await transcriber.transcribe(TranscriptionFixtures.Speaker().feed, sampleRate: 16_000, context: nil)
    }
  }
}
