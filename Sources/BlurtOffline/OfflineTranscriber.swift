package import BlurtEngine
internal import BlurtOS
internal import Glibc

/// The offline engine behind the transcriber's seam: words from sound without a network, in a process of its own.
///
/// The recording's own file is what the process reads; where nothing is kept, a private file lives as long as the call.
/// Its owner calls `stop` before it goes.
package final class OfflineTranscriber: TranscriberProtocol, Sendable {
  private let process: OfflineProcess
  private let temporaryFolder: String
  private let spareFolder: String

  /// - Parameters:
  ///   - installation: looked up at each start, so that an engine fetched later is found.
  ///   - program: path of `blurt-offline`.
  ///   - temporaryFolder: for recordings that are not kept; should be memory, and of this user alone.
  ///   - spareFolder: for a recording that found no room in its file; should be memory of another file system.
  ///   - idleMinutes: after how long without use the process is stopped; 0 keeps it.
  package init(
    installation: @escaping @Sendable () -> OfflineInstallation?, program: String, temporaryFolder: String,
    spareFolder: String = "/dev/shm", idleMinutes: @escaping @Sendable () -> Double, clock: any Clock<Duration>
  ) {
    self.temporaryFolder = temporaryFolder
    self.spareFolder = spareFolder
    process = OfflineProcess(installation: installation, program: program, idleMinutes: idleMinutes, clock: clock)
    TemporaryRecording.sweep(temporaryFolder)
    TemporaryRecording.sweep(spareFolder)
  }

  /// Starts the process. Call it when the engine is chosen or becomes the fallback, and after a change of `idleMinutes`.
  package func warmUp() async { await process.warmUp() }

  /// Ends the process; a later call starts it again.
  package func stop() async { await process.stop() }

  /// Whether the process runs, and its number.
  package var processID: Int32? {
    get async { await process.processID }
  }

  package func transcribe(
    _ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?
  ) async throws -> Transcript {
    await process.beginUse()
    do {
      let transcript = try await transcribe(feed)
      await process.endUse()
      return transcript
    } catch {
      await process.endUse()
      throw error
    }
  }

  /// Transcribes a WAV file, or raw 16 kHz mono S16LE: a file of the user's, or a kept recording.
  ///
  /// `path` is absolute. Throws like `transcribe`, but has no floor: a short file is a file without speech.
  package func transcribeFile(_ path: String) async throws -> Transcript {
    await process.beginUse()
    do {
      let transcript = try await answer(to: path, byteCount: Self.size(of: path))
      await process.endUse()
      return transcript
    } catch {
      await process.endUse()
      throw error
    }
  }

  private func transcribe(_ feed: AudioFeed) async throws -> Transcript {
    var byteCount = 0
    var copyFailure: Errno?
    let copy = feed.recording == nil ? makeCopy(&copyFailure) : nil
    defer { copy?.remove() }
    for await bytes in feed.frames {
      byteCount += bytes.count
      do throws(Errno) {
        try copy?.append(bytes)
      } catch {
        // The feed is read to its end nevertheless: a clip under the floor is no failure.
        copyFailure = error
      }
    }
    // A cancelled task ends the loop as well.
    try Task.checkCancellation()
    // An engine that failed before this one may have read the frames: the recording has them all.
    byteCount = max(byteCount, feed.recording?.availableByteCount ?? 0)
    guard byteCount >= SyncSTTLimits.minimumByteCount else { throw ClipBelowFloor() }
    if let copyFailure { throw Self.incomplete("\(copyFailure)") }
    if let recording = feed.recording, !recording.isComplete {
      guard let rest = recording.unwritten, let spare = await whole(recording, rest) else {
        throw Self.incomplete("\(recording.byteCount) of \(byteCount) bytes")
      }
      defer { spare.remove() }
      return try await answer(to: spare.path, byteCount: byteCount)
    }
    return try await answer(to: feed.recording?.audioPath ?? copy?.path ?? "", byteCount: byteCount)
  }

  /// A file with what is written of the recording and what found no room; nil where there is none for it either.
  private func whole(_ recording: any KeptRecording, _ rest: [UInt8]) async -> TemporaryRecording? {
    let (folder, path, byteCount) = (spareFolder, recording.audioPath, recording.byteCount)
    let copied = try? await Blocking.run(name: "blurt-file") { () -> TemporaryRecording? in
      guard let copy = try? TemporaryRecording(in: folder) else { return nil }
      do throws(Errno) {
        try copy.append(contentsOf: path, byteCount: byteCount)
        try copy.append(rest)
        return copy
      } catch {
        copy.remove()
        return nil
      }
    }
    return copied.flatMap { $0 }
  }

  private func makeCopy(_ failure: inout Errno?) -> TemporaryRecording? {
    do throws(Errno) {
      return try TemporaryRecording(in: temporaryFolder)
    } catch {
      failure = error
      return nil
    }
  }

  private func answer(to path: String, byteCount: Int) async throws -> Transcript {
    let audio = Duration.milliseconds(SyncSTTLimits.milliseconds(ofByteCount: byteCount))
    let answer = try await process.transcribe(path: path, audio: audio)
    try Task.checkCancellation()
    switch answer.outcome {
    case .speech: return Transcript(text: answer.text, engine: .offline)
    case .noSpeech: return Transcript(text: "", engine: .offline)
    case .noSound: throw Self.noSound
    }
  }

  /// A microphone that is muted is no silence: the user is to know.
  package static let noSound = BlurtError.audioCaptureFailed(
    underlying: UnderlyingError(
      domain: .capture, code: CaptureFault.inputNeverDelivered.rawValue,
      message: "The recording holds no sound at all: if you spoke, the microphone is muted or turned down, "
        + "or another one is in use. Unmute it, or set BlurtMicDeviceUID to another one (arecord -L lists them)."))

  private static func incomplete(_ detail: String) -> UnderlyingError {
    OfflineFault.incompleteRecording.error(
      "The recording could not be written down in full (\(detail)). Free space in the runtime folder.")
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
