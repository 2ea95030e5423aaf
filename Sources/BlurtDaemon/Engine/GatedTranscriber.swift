package import BlurtEngine
internal import BlurtOS
package import BlurtOffline
internal import Glibc

/// Listens for speech before an engine that makes up words where there is none, as those of Whisper's kind do, and cuts off
/// the silence before the first word and behind the last one.
///
/// Without the offline engine's gate, only a microphone that delivered no sound at all is noticed, and nothing is cut. A gate
/// that fails stops nothing: rather an invented word than a lost one.
package struct GatedTranscriber: TranscriberProtocol {
  /// Seconds that are left on both sides of the speech: a word that begins or ends softly is heard whole.
  package static let margin = 0.5

  private let engine: any TranscriberProtocol
  private let kind: EngineKind
  private let gate: OfflineGate?

  /// `gate` is nil where the offline engine is not installed.
  package init(_ engine: any TranscriberProtocol, kind: EngineKind, gate: OfflineGate?) {
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
    let answer: OfflineAnswer
    do {
      await feed.readToEnd { _ in }
      try Task.checkCancellation()
      answer = try await listen(to: recording)
    } catch {
      await gate?.endUse()
      throw error
    }
    await gate?.endUse()
    switch answer.outcome {
    case .noSpeech: return Transcript(text: "", engine: kind)
    case .noSound: throw OfflineTranscriber.noSound
    case .speech:
      return try await engine.transcribe(
        await Self.cut(recording, to: answer), sampleRate: sampleRate, context: context)
    }
  }

  /// Throws for a cancel alone.
  private func listen(to recording: any KeptRecording) async throws -> OfflineAnswer {
    // What is too short or incomplete is for the engine to refuse.
    guard recording.isComplete, recording.byteCount >= SyncSTTLimits.minimumByteCount else {
      return OfflineAnswer(outcome: .speech)
    }
    do {
      if let gate { return try await gate.answer(for: recording.audioPath, byteCount: recording.byteCount) }
      return OfflineAnswer(outcome: try await Self.isDead(recording.audioPath) ? .noSound : .speech)
    } catch {
      try Task.checkCancellation()
      Log.warning("nobody could listen for speech; the engine is asked all the same", ["error": "\(error)"])
      return OfflineAnswer(outcome: .speech)
    }
  }

  // MARK: Cutting

  /// The part of the recording's bytes that holds the speech, in whole samples; nil where nothing would be cut off.
  static func speech(in answer: OfflineAnswer, byteCount: Int) -> Range<Int>? {
    guard let start = answer.speechStart, let end = answer.speechEnd, start.isFinite, end.isFinite, start < end else {
      return nil
    }
    let length = Double(byteCount / SyncSTTLimits.bytesPerSample) / Double(SyncSTTLimits.sampleRate)
    let (first, last) = (max(0, start - margin), min(length, end + margin))
    guard first < last, first > 0 || last < length else { return nil }
    let position = { Int(($0 * Double(SyncSTTLimits.sampleRate)).rounded()) * SyncSTTLimits.bytesPerSample }
    let range = position(first)..<min(position(last), byteCount)
    return range.count >= SyncSTTLimits.minimumByteCount ? range : nil
  }

  /// The recording as a feed that has ended: its speech where that is known and can be read, else the whole.
  private static func cut(_ recording: any KeptRecording, to answer: OfflineAnswer) async -> AudioFeed {
    if let range = speech(in: answer, byteCount: recording.byteCount),
      let frame = try? await Blocking.run(
        name: "blurt-file", { [path = recording.audioPath] in bytes(range, of: path) })
    {
      let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
      feed.yield(frame)
      feed.finish()
      return AudioFeed(frames: frames)
    }
    return AudioFeed(frames: AsyncStream { $0.finish() }, recording: recording)
  }

  /// Nil where not all of them can be read. Blocks.
  private static func bytes(_ range: Range<Int>, of path: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < bytes.count {
      let (raw, done) = (file.raw, filled)
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(raw, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(range.lowerBound + done))
      }
      guard count > 0 else { return nil }
      filled += count
    }
    return bytes
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
