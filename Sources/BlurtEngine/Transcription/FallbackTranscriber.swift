/// Gives a recording to a second engine when the first one could not be reached, so that no word is lost.
///
/// Only for failures that need nothing of the user: a transport failure, a stall, a broken answer, 429 and 5xx; of the
/// user's own program a time limit, a crash and `EX_TEMPFAIL`. Not for a refused key or config, a recording that is too
/// long, a cancel, or a clip under the floor.
public struct FallbackTranscriber: TranscriberProtocol {
  private let primary: any TranscriberProtocol
  private let kind: EngineKind
  private let fallback: @Sendable () async -> (any TranscriberProtocol)?

  /// `kind` names the primary engine. `fallback` is asked when it is needed, and at warm-up; nil where there is none.
  public init(
    primary: any TranscriberProtocol, kind: EngineKind,
    fallback: @escaping @Sendable () async -> (any TranscriberProtocol)?
  ) {
    self.primary = primary
    self.kind = kind
    self.fallback = fallback
  }

  /// Both engines at once, so that the second is ready when the first fails.
  public func warmUp() async {
    async let second: Void? = fallback()?.warmUp()
    await primary.warmUp()
    _ = await second
  }

  public func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  {
    do {
      return try await primary.transcribe(feed, sampleRate: sampleRate, context: context)
    } catch let primaryError {
      guard let recording = feed.recording, Self.isTransient(primaryError), let second = await fallback() else {
        throw primaryError
      }
      // The user may still be talking: the recording is complete when its feed has ended.
      await feed.readToEnd { _ in }
      try Task.checkCancellation()
      guard recording.availableByteCount >= SyncSTTLimits.minimumByteCount else { throw ClipBelowFloor() }
      let ended = AudioFeed(frames: AsyncStream { $0.finish() }, recording: recording)
      do {
        let transcript = try await second.transcribe(ended, sampleRate: sampleRate, context: context)
        return Transcript(
          text: transcript.text, engine: transcript.engine, fellBackFrom: kind, sttPrompt: transcript.sttPrompt,
          keyTerms: transcript.keyTerms)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // A cancel that the engine turned into an error of its own is still a cancel.
        try Task.checkCancellation()
        throw primaryError
      }
    }
  }

  /// `EX_TEMPFAIL` of sysexits.h.
  public static let temporaryFailure = 75

  /// Whether another engine may help without the user doing anything.
  static func isTransient(_ error: any Error) -> Bool {
    let underlying = (error as? UnderlyingError) ?? (error as? BlurtError)?.underlying
    guard let underlying else { return false }
    switch underlying.domain {
    case .curl: return true
    case .http: return underlying.code == 429 || (500...599).contains(underlying.code)
    case .transcription:
      return underlying.code == TranscriptionFault.replayRefused.rawValue
        || underlying.code == TranscriptionFault.malformedResponse.rawValue
    case .command:
      // A stall, a crash, or the status by which programs say "not now" (EX_TEMPFAIL). Any other status needs the user.
      return underlying.code == CommandFault.timedOut.rawValue || underlying.code == Self.temporaryFailure
        || underlying.code == CommandFault.crashed.rawValue
    case .alsa, .posix, .capture, .offline, .other: return false
    }
  }
}
