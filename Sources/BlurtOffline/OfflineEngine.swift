package import BlurtEngine
internal import BlurtOS
internal import CMoonshine

/// The loaded engine: a gate that finds speech, and a decoder that writes it down.
///
/// Both handles are loaded once and kept. Belongs to one thread; a call blocks for as long as it computes.
package final class OfflineEngine {
  /// The interface version of the loaded library.
  package let libraryVersion: Int
  private let gate: MoonshineHandle
  /// Nil in a process that only listens for speech.
  private let decoder: Decoder?
  /// A second of it.
  private let silence = [Float](repeating: 0, count: SyncSTTLimits.sampleRate)

  /// A handle that can be absent.
  private final class Decoder {
    let handle: MoonshineHandle

    init(_ handle: consuming MoonshineHandle) { self.handle = handle }
  }

  /// With `gateOnly` no model is loaded.
  package init(_ installation: OfflineInstallation, gateOnly: Bool = false) throws(UnderlyingError) {
    let library = try MoonshineLibrary(path: installation.library)
    libraryVersion = Int(library.version)
    // Reading no model, about 30 MB. Lines then carry times and no text.
    gate = try MoonshineHandle(
      library: library, model: installation.model,
      options: [("skip_transcription", "true"), ("identify_speakers", "false"), ("return_audio_data", "false")])
    // The gate has found the speech: the decoder's own detection is off, and its splitting starts past our pieces.
    decoder =
      gateOnly
      ? nil
      : Decoder(
        try MoonshineHandle(
          library: library, model: installation.model,
          options: [
            ("vad_threshold", "0"), ("vad_max_segment_duration", "30"), ("identify_speakers", "false"),
            ("return_audio_data", "false"), ("log_output_text", "false"),
          ]))
  }

  /// Decodes once, so that the first utterance does not pay for the first use of the model's memory.
  package func warmUp() {
    silence.withUnsafeBufferPointer { silence in
      _ = try? segments(of: silence)
      _ = try? decode(silence)
    }
  }

  /// Transcribes 16 kHz samples between −1 and 1; with `gateOnly` it only says whether somebody speaks.
  package func transcribe(_ clip: [Float], gateOnly: Bool = false) throws(UnderlyingError) -> OfflineAnswer {
    var samples = clip
    var answer = OfflineAnswer(outcome: .noSpeech, audioSeconds: Self.seconds(samples.count))
    guard samples.count >= SpeechCut.shortestClip else {
      // Of so little the model makes words up; another engine may not, and a short "No" is a word.
      if gateOnly { answer.outcome = .speech }
      return answer
    }
    guard !DeadMicrophone.recorded(samples) else {
      answer.outcome = .noSound
      return answer
    }
    // The library drops what is left of its last step: 32 ms at most, but it may hold the end of a word.
    let rest = samples.count % GateBlocks.step
    if rest != 0 { samples += [Float](repeating: 0, count: GateBlocks.step - rest) }
    return try samples.withUnsafeBufferPointer { samples throws(UnderlyingError) in
      let start = MonotonicClock.now()
      try forgetLastClip()
      let cut = SpeechCut(segments: try segments(of: samples), sampleCount: samples.count)
      let decodeStart = MonotonicClock.now()
      answer.gateMilliseconds = Self.milliseconds(decodeStart - start)
      answer.speechSeconds = Self.seconds(cut.speechCount)
      guard !cut.pieces.isEmpty else { return answer }
      answer.speechStart = cut.pieces.first.map { Self.seconds($0.lowerBound) }
      answer.speechEnd = cut.pieces.last.map { Self.seconds($0.upperBound) }
      guard !gateOnly else {
        answer.outcome = .speech
        return answer
      }
      var lines: [String] = []
      for piece in cut.pieces {
        lines += try decode(UnsafeBufferPointer(rebasing: samples[Self.decodable(piece, of: samples.count)]))
      }
      answer.outcome = .speech
      answer.text = TranscriptCleaner.clean(lines)
      answer.decodeMilliseconds = Self.milliseconds(MonotonicClock.now() - decodeStart)
      return answer
    }
  }

  /// The piece, widened to the shortest clip that is decoded and to whole steps of the library.
  private static func decodable(_ piece: Range<Int>, of count: Int) -> Range<Int> {
    let wanted = max(piece.count, SpeechCut.shortestClip)
    let steps = (wanted + GateBlocks.step - 1) / GateBlocks.step * GateBlocks.step
    let end = min(count, piece.lowerBound + steps)
    return max(0, end - steps)..<end
  }

  /// Lets the gate hear a second of silence.
  ///
  /// It carries what it heard last into the next clip: after one that ended in mid-word, noise would count as speech.
  private func forgetLastClip() throws(UnderlyingError) {
    try silence.withUnsafeBufferPointer { silence throws(UnderlyingError) in
      try gate.forEachLine(of: silence) { _ in }
    }
  }

  private func segments(of samples: UnsafeBufferPointer<Float>) throws(UnderlyingError) -> [SpeechSegment] {
    try GateBlocks.segments(sampleCount: samples.count) { block throws(UnderlyingError) in
      var segments: [SpeechSegment] = []
      try gate.forEachLine(of: UnsafeBufferPointer(rebasing: samples[block])) { line in
        let start = Self.sample(at: line.start_seconds)
        segments.append(SpeechSegment(start: start, end: start + Self.sample(at: line.duration_seconds)))
      }
      return segments
    }
  }

  private func decode(_ samples: UnsafeBufferPointer<Float>) throws(UnderlyingError) -> [String] {
    guard let decoder else { throw OfflineFault.badRequest.error("This process only listens for speech.") }
    var lines: [String] = []
    // The text belongs to the library until its next call: copied here.
    try decoder.handle.forEachLine(of: samples) { line in
      if let text = line.text { lines.append(String(cString: text)) }
    }
    return lines
  }

  private static func sample(at seconds: Float) -> Int {
    let position = Double(seconds) * Double(SyncSTTLimits.sampleRate)
    return position.isFinite ? Int(max(0, min(position, 1e12)).rounded()) : 0
  }

  private static func seconds(_ count: Int) -> Double { Double(count) / Double(SyncSTTLimits.sampleRate) }

  private static func milliseconds(_ duration: Duration) -> Double {
    (duration / .microseconds(1)).rounded() / 1_000
  }
}
