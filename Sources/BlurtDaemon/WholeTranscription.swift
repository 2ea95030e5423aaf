package import BlurtEngine

/// Sends sound that is complete already, whole, to the engine of the moment, as a dictation would: with its fallback.
package struct WholeTranscription: Sendable {
  package enum Failure: Error, Sendable, Hashable {
    /// Shorter than 0.1 seconds (S-64).
    case belowFloor
    /// The task was cancelled.
    case cancelled
    case engine(BlurtError)
  }

  /// The most bytes of one frame of the feed: a second of sound.
  private static let frameByteCount = SyncSTTLimits.sampleRate * SyncSTTLimits.bytesPerSample

  private let transcriber: any TranscriberProtocol
  private let readinessCheck: @Sendable () -> BlurtError?
  private let keyTerms: @Sendable () -> [String]

  package init(
    transcriber: any TranscriberProtocol, readinessCheck: @escaping @Sendable () -> BlurtError?,
    keyTerms: @escaping @Sendable () -> [String]
  ) {
    self.transcriber = transcriber
    self.readinessCheck = readinessCheck
    self.keyTerms = keyTerms
  }

  /// Why no engine could work now (S-50); nil where one could.
  package var blocker: BlurtError? { readinessCheck() }

  /// Returns the engine's words for 16 kHz mono S16LE.
  ///
  /// `recording` has the same bytes in a file, for the fallback and the over-cap route; without it there is neither.
  package func transcribe(
    _ bytes: [UInt8], recording: (any KeptRecording)?
  ) async throws(Failure) -> Transcript {
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    for start in stride(from: 0, to: bytes.count, by: Self.frameByteCount) {
      feed.yield(Array(bytes[start..<min(start + Self.frameByteCount, bytes.count)]))
    }
    feed.finish()
    let context = TranscriptionContext(keyTerms: keyTerms())
    do {
      return try await transcriber.transcribe(
        AudioFeed(frames: frames, recording: recording), sampleRate: SyncSTTLimits.sampleRate,
        context: context.isEmpty ? nil : context)
    } catch is ClipBelowFloor {
      throw .belowFloor
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .engine(BlurtError.transcription(error))
    }
  }
}
