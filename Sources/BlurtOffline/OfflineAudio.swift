package import BlurtEngine
internal import BlurtOS
internal import Glibc

/// Reads a recording: a WAV file, or the raw 16 kHz mono S16LE of the spool.
package enum OfflineAudio {
  /// The largest file that is read: 20 minutes of 48 kHz stereo floating point and a little more.
  package static let largestFile = 512 << 20

  /// The samples at 16 kHz, mono, between −1 and 1.
  package static func samples(of path: String) throws(UnderlyingError) -> [Float] {
    let bytes = try read(path)
    // A song must not be taken for raw samples: that would be noise, and nobody would be told.
    if WAVFile.isWAV(bytes) || path.lowercased().hasSuffix(".wav") || isOtherContainer(bytes) {
      do {
        return try WAVFile(parsing: bytes).samples
      } catch {
        throw OfflineFault.unreadableAudio.error("\(path) cannot be transcribed. \(error)")
      }
    }
    return bytes.withUnsafeBytes { bytes in
      // A last odd byte is half a sample that never came.
      (0..<bytes.count / 2).map { index in
        Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))) / 32_768
      }
    }
  }

  /// Whether the bytes begin like a sound file of another kind.
  private static func isOtherContainer(_ bytes: [UInt8]) -> Bool {
    ["OggS", "fLaC", "ID3", "RF64", "RIFX", "FORM", ".snd", "caff"].contains { bytes.starts(with: $0.utf8) }
      || bytes.dropFirst(4).starts(with: "ftyp".utf8)
      || bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
  }

  private static func read(_ path: String) throws(UnderlyingError) -> [UInt8] {
    do throws(Errno) {
      // Non-blocking: opening a pipe must not wait for its other end.
      let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      var status = stat()
      let descriptor = file.raw
      try Syscall.run("stat \(path)") { fstat(descriptor, &status) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw Errno(EINVAL, call: "\(path) is not a file; open") }
      guard status.st_size <= largestFile else { throw Errno(EFBIG, call: "read \(path)") }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      var filled = 0
      while filled < bytes.count {
        let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
          try file.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled...])))
        }
        guard let count, count > 0 else { break }
        filled += count
      }
      bytes.removeLast(bytes.count - filled)
      return bytes
    } catch {
      throw OfflineFault.unreadableAudio.error("The recording cannot be read: \(error). Check the path and its rights.")
    }
  }
}
