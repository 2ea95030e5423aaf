internal import BlurtEngine
internal import BlurtOS
internal import BlurtOffline
internal import Glibc

/// A sound file of the user's, open for reading. All calls block.
struct SoundFile: ~Copyable {
  private static let longestRawByteCount =
    Int(SyncSTTLimits.maximumRecording / .milliseconds(1)) * SyncSTTLimits.sampleRate / 1_000 * 2

  private let path: String
  private let file: FileDescriptor
  private let byteCount: Int

  /// Opens a regular file of a bearable size.
  init(_ path: String) throws(FileTranscription.Failure) {
    let file = try Self.open(path)
    let raw = file.raw
    let byteCount = try Self.regularByteCount(path) { fstat(raw, $0) }
    guard byteCount <= FileTranscription.largestFile else {
      throw .file("\(path) is larger than \(FileTranscription.largestFile >> 20) MiB. Split it first.")
    }
    self.path = path
    self.file = file
    self.byteCount = byteCount
  }

  /// Looks before it opens: the opening of a pipe or a device would be felt at its other end.
  private static func open(_ path: String) throws(FileTranscription.Failure) -> FileDescriptor {
    _ = try regularByteCount(path) { stat(path, $0) }
    do throws(Errno) {
      // Another file may have taken its place: a named pipe without a writer must not hang the thread.
      return try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      throw .file("\(error).")
    }
  }

  private static func regularByteCount(
    _ path: String, _ look: (UnsafeMutablePointer<stat>) -> Int32
  ) throws(FileTranscription.Failure) -> Int {
    var status = stat()
    do throws(Errno) {
      try Syscall.run("open \(path)") { look(&status) }
    } catch {
      throw .file("\(error).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .file("\(path) is not a regular file.") }
    return Int(status.st_size)
  }

  /// Its sound as 16 kHz mono S16LE. What the file is, its first bytes say; its name counts for raw samples alone, which
  /// have no such bytes.
  func samples(_ decoder: SoundDecoder) throws(FileTranscription.Failure) -> [UInt8] {
    guard byteCount > 0 else { throw .file("\(path) is empty.") }
    let start = try beginning()
    if SoundDecoder.takes(start) { return try decoded(decoder) }
    if path.hasSuffix(".pcm"), !WAVFile.isWAV(start) { return try rawSamples() }
    return try parsed(contents())
  }

  /// What it holds as raw samples, whatever its first bytes look like.
  func rawSamples() throws(FileTranscription.Failure) -> [UInt8] {
    // They tell their length by their size: nothing that is refused anyway is read.
    guard byteCount <= Self.longestRawByteCount else { throw .file(FileTranscription.tooLong) }
    return try contents()
  }

  private func decoded(_ decoder: SoundDecoder) throws(FileTranscription.Failure) -> [UInt8] {
    do throws(SoundFault) {
      return try decoder.decode(file)
    } catch {
      throw .file(error == .tooLong ? FileTranscription.tooLong : "\(path): \(error.sentence)")
    }
  }

  private func parsed(_ contents: [UInt8]) throws(FileTranscription.Failure) -> [UInt8] {
    do throws(WAVError) {
      return try WAVFile(parsing: contents).bytes
    } catch {
      guard error == .notWAV else { throw .file("\(path): \(error)") }
      throw .file("\(path) is no WAV, FLAC or Ogg file. Convert it, for instance: ffmpeg -i IN -ar 16000 -ac 1 OUT.wav")
    }
  }

  /// The first bytes, without moving the file.
  private func beginning() throws(FileTranscription.Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    let raw = file.raw
    do throws(Errno) {
      let count = try Syscall.run("read \(path)") { pread(raw, &bytes, bytes.count, 0) }
      return Array(bytes[..<count])
    } catch {
      throw .file("\(error).")
    }
  }

  private func contents() throws(FileTranscription.Failure) -> [UInt8] {
    var contents: [UInt8] = []
    contents.reserveCapacity(byteCount)
    do throws(Errno) {
      while contents.count <= byteCount, let part = try file.read(upTo: 1 << 20), !part.isEmpty { contents += part }
    } catch {
      throw .file("\(error).")
    }
    return contents
  }
}
