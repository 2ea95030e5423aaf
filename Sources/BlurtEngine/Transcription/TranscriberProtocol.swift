/// Speech to text (T-01, T-02).
public protocol TranscriberProtocol: Sendable {
  /// Transcribes one utterance. Called once for each, as soon as the microphone is live: the feed is still growing.
  ///
  /// Nothing partial is ever returned. Throws `ClipBelowFloor` for a feed that ended under the floor (S-65),
  /// `CancellationError` when its task was cancelled (T-77), a `BlurtError` that is to surface unchanged, or an
  /// `UnderlyingError` that the session wraps in `sttFailed` (S-24).
  func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  /// Pays for connection set-up or a model early. Never throws, never sends audio.
  func warmUp() async
}

extension TranscriberProtocol {
  public func warmUp() async {}
}

/// What an engine heard.
public struct Transcript: Sendable, Hashable {
  /// The text to show; may be empty.
  public let text: String
  public let engine: EngineKind
  /// The engine that failed before this one was asked; nil when there was no fallback.
  public let fellBackFrom: EngineKind?
  /// The prompt exactly as it was sent (S-99); nil when none was.
  public let sttPrompt: String?
  /// The key terms exactly as they were sent (S-99).
  public let keyTerms: [String]

  public init(
    text: String, engine: EngineKind, fellBackFrom: EngineKind? = nil, sttPrompt: String? = nil, keyTerms: [String] = []
  ) {
    self.text = text
    self.engine = engine
    self.fellBackFrom = fellBackFrom
    self.sttPrompt = sttPrompt
    self.keyTerms = keyTerms
  }
}

/// S-65: the feed ended under the floor; the session ends in `idle` without a word.
public struct ClipBelowFloor: Error, Sendable, Hashable {
  public init() {}
}
