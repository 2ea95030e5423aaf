/// Asks for the engine at each utterance, so that a changed setting applies to the next one.
public struct SelectingTranscriber: TranscriberProtocol {
  private let select: @Sendable () async throws -> any TranscriberProtocol

  /// `select` is called once for each utterance and once for each warm-up. What it throws is the utterance's error.
  public init(_ select: @escaping @Sendable () async throws -> any TranscriberProtocol) { self.select = select }

  public func warmUp() async { await (try? select())?.warmUp() }

  public func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  {
    try await select().transcribe(feed, sampleRate: sampleRate, context: context)
  }
}
