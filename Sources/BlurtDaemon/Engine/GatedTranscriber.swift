package import BlurtEngine
internal import BlurtOS
package import BlurtOffline

/// Listens for speech before an engine that makes up words where there is none, as those of Whisper's kind do.
///
/// Without the offline engine's gate, only a microphone that delivered no sound at all is noticed. A gate that fails stops
/// nothing: rather an invented word than a lost one.
package struct GatedTranscriber: TranscriberProtocol {
  private let engine: any TranscriberProtocol
  private let kind: EngineKind
  private let gate: OfflineTranscriber?

  /// `gate` is nil where the offline engine is not installed.
  package init(_ engine: any TranscriberProtocol, kind: EngineKind, gate: OfflineTranscriber?) {
    self.engine = engine
    self.kind = kind
    self.gate = gate
  }

  package func warmUp() async {
    async let loading: Void? = gate?.warmUp()
    await engine.warmUp()
    _ = await loading
  }

  package func transcribe(
    _ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?
  ) async throws -> Transcript {
    guard let recording = feed.recording else {
      return try await engine.transcribe(feed, sampleRate: sampleRate, context: context)
    }
    await gate?.beginUse()
    let outcome: OfflineOutcome
    do {
      for await _ in feed.frames {}
      try Task.checkCancellation()
      outcome = try await listen(to: recording)
    } catch {
      await gate?.endUse()
      throw error
    }
    await gate?.endUse()
    switch outcome {
    case .noSpeech: return Transcript(text: "", engine: kind)
    case .noSound: throw OfflineTranscriber.noSound
    case .speech:
      let ended = AudioFeed(frames: AsyncStream { $0.finish() }, recording: recording)
      return try await engine.transcribe(ended, sampleRate: sampleRate, context: context)
    }
  }

  /// Throws for a cancel alone.
  private func listen(to recording: any KeptRecording) async throws -> OfflineOutcome {
    // What is too short or incomplete is for the engine to refuse.
    guard recording.isComplete, recording.byteCount >= SyncSTTLimits.minimumByteCount else { return .speech }
    do {
      if let gate { return try await gate.gate(recording.audioPath, byteCount: recording.byteCount) }
      return try await Self.isDead(recording.audioPath) ? .noSound : .speech
    } catch {
      try Task.checkCancellation()
      Log.warning("nobody could listen for speech; the engine is asked all the same", ["error": "\(error)"])
      return .speech
    }
  }

  /// Whether no frame is louder than the floor of any live microphone.
  private static func isDead(_ path: String) async throws -> Bool {
    try await Blocking.run(name: "blurt-file") { () -> Bool in
      do throws(UnderlyingError) {
        return DeadMicrophone.recorded(try OfflineAudio.samples(of: path))
      } catch {
        return false
      }
    }
  }
}
