package import BlurtEngine
internal import BlurtOS
package import BlurtOffline

/// Transcribes a file of the user's with the engine of the moment, or one that is named: WAV, FLAC, Ogg, or the raw samples
/// of a kept recording.
package struct FileTranscription: Sendable {
  package enum Failure: Error, Sendable, Hashable {
    /// The file is at fault; the sentence says how.
    case file(String)
    case engine(BlurtError)
  }

  /// The largest file that is read: 20 minutes of the richest usual format (48 kHz, stereo, 32 bits) and some.
  package static let largestFile = 512 << 20

  static let tooLong =
    "The file is longer than 20 minutes. Split it, for instance: sox IN OUT.wav trim 0 1200 : newfile : restart"

  private let whole: WholeTranscription
  private let named: @Sendable (EngineKind) -> WholeTranscription
  private let recordings: any RecordingStore
  private let decoder: SoundDecoder

  /// `named` gives the engine that a client asked for by name; `decoder` reads FLAC and Ogg.
  package init(
    whole: WholeTranscription, named: @escaping @Sendable (EngineKind) -> WholeTranscription,
    recordings: any RecordingStore, decoder: SoundDecoder
  ) {
    self.whole = whole
    self.named = named
    self.recordings = recordings
    self.decoder = decoder
  }

  /// Returns the engine's words. Reads the file on a thread of its own, since it may lie on a slow or dead file system.
  package func transcribe(_ path: String, engine: EngineKind? = nil) async throws(Failure) -> Transcript {
    let whole = engine.map(named) ?? whole
    if let blocker = whole.blocker { throw .engine(blocker) }
    let read: Result<[UInt8], Failure>
    do throws(Errno) {
      read = try await Blocking.run(name: "blurt-file") { [decoder] in Self.samples(of: path, decoder) }
    } catch {
      throw .file("\(error).")
    }
    let bytes = try read.get()
    let length = Duration.milliseconds(SyncSTTLimits.milliseconds(ofByteCount: bytes.count))
    guard length <= SyncSTTLimits.maximumRecording else {
      throw .file(Self.tooLong)
    }
    // Kept for the length of the call, so that the fallback and the over-cap route have a file to read.
    let recording = recordings.begin(dictation: 0)
    defer { recording?.close(.cancelledByUser) }
    bytes.withUnsafeBytes { recording?.append($0) }
    do throws(WholeTranscription.Failure) {
      return try await whole.transcribe(bytes, recording: recording)
    } catch {
      switch error {
      case .belowFloor: throw .file("The file is shorter than 0.1 seconds.")
      case .cancelled: throw .engine(BlurtError.transcription(CancellationError()))
      case .engine(let error): throw .engine(error)
      }
    }
  }

  /// The file's sound as 16 kHz mono S16LE. Blocks.
  private static func samples(of path: String, _ decoder: SoundDecoder) -> Result<[UInt8], Failure> {
    do throws(Failure) {
      return .success(try SoundFile(path).samples(decoder))
    } catch {
      return .failure(error)
    }
  }

  /// The raw samples of a kept recording. Blocks.
  static func rawSamples(of path: String) -> Result<[UInt8], Failure> {
    do throws(Failure) {
      return .success(try SoundFile(path).rawSamples())
    } catch {
      return .failure(error)
    }
  }
}
