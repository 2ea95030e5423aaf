package import BlurtEngine
internal import BlurtOS
internal import Glibc

/// Transcribes a file of the user's with the engine of the moment, or one that is named: a WAV file, or the raw samples of a kept recording.
package struct FileTranscription: Sendable {
  package enum Failure: Error, Sendable, Hashable {
    /// The file is at fault; the sentence says how.
    case file(String)
    case engine(BlurtError)
  }

  /// The largest file that is read: 20 minutes of the richest usual format (48 kHz, stereo, 32 bits) and some.
  package static let largestFile = 512 << 20

  private static let longestRawByteCount =
    Int(SyncSTTLimits.maximumRecording / .milliseconds(1)) * SyncSTTLimits.sampleRate / 1_000 * 2
  private static let tooLong =
    "The file is longer than 20 minutes. Split it, for instance: sox IN OUT.wav trim 0 1200 : newfile : restart"

  private let whole: WholeTranscription
  private let named: @Sendable (EngineKind) -> WholeTranscription
  private let recordings: any RecordingStore

  /// `named` gives the engine that a client asked for by name.
  package init(
    whole: WholeTranscription, named: @escaping @Sendable (EngineKind) -> WholeTranscription,
    recordings: any RecordingStore
  ) {
    self.whole = whole
    self.named = named
    self.recordings = recordings
  }

  /// Returns the engine's words. Reads the file on a thread of its own, since it may lie on a slow or dead file system.
  package func transcribe(_ path: String, engine: EngineKind? = nil) async throws(Failure) -> Transcript {
    let whole = engine.map(named) ?? whole
    if let blocker = whole.blocker { throw .engine(blocker) }
    let read: Result<[UInt8], Failure>
    do throws(Errno) {
      read = try await Blocking.run(name: "blurt-file") { Self.samples(of: path) }
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
  static func samples(of path: String) -> Result<[UInt8], Failure> {
    let contents: [UInt8]
    do throws(Errno) {
      // A named pipe without a writer must not hang the thread.
      let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      var status = stat()
      try Syscall.run("stat \(path)") { fstat(file.raw, &status) }
      guard status.st_mode & S_IFMT == S_IFREG else { return .failure(.file("\(path) is not a regular file.")) }
      guard status.st_size <= largestFile else {
        return .failure(.file("\(path) is larger than \(largestFile >> 20) MiB. Split it first."))
      }
      // Raw samples tell their length by their size: nothing that is refused anyway is read.
      if path.hasSuffix(".pcm"), status.st_size > longestRawByteCount { return .failure(.file(tooLong)) }
      contents = try readAll(file, count: Int(status.st_size))
    } catch {
      return .failure(.file("\(error)."))
    }
    if path.hasSuffix(".pcm") { return .success(contents) }
    do throws(WAVError) {
      return .success(try WAVFile(parsing: contents).bytes)
    } catch {
      return .failure(.file("\(path): \(error)"))
    }
  }

  private static func readAll(_ file: borrowing FileDescriptor, count: Int) throws(Errno) -> [UInt8] {
    var contents: [UInt8] = []
    contents.reserveCapacity(count)
    while let part = try file.read(upTo: 1 << 20), !part.isEmpty { contents += part }
    return contents
  }
}
