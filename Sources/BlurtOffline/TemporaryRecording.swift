internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// A private file for one recording that nobody else keeps. Its owner calls `remove`.
final class TemporaryRecording: Sendable {
  let path: String
  private let file: FileDescriptor

  /// Makes the file, 0600, in a folder that is made if needed (0700).
  init(in folder: String) throws(Errno) {
    if mkdir(folder, 0o700) == -1 {
      let code = errno
      if code != EEXIST { throw Errno(code, call: "mkdir \(folder)") }
    }
    let path = "\(folder)/\(Self.prefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max)).raw"
    file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    self.path = path
  }

  func remove() { unlink(path) }

  func append(_ bytes: [UInt8]) throws(Errno) {
    do {
      try bytes.withUnsafeBytes { try file.writeAll($0) }
    } catch let error as Errno {
      throw error
    } catch {
      throw Errno(EIO, call: "write")
    }
  }

  /// Appends the beginning of another file.
  func append(contentsOf path: String, byteCount: Int) throws(Errno) {
    let source = try FileDescriptor.open(path, O_RDONLY)
    var left = byteCount
    while left > 0 {
      guard let part = try source.read(upTo: min(left, 1 << 18)), !part.isEmpty else {
        throw Errno(EIO, call: "read \(path)")
      }
      try append(part)
      left -= part.count
    }
  }

  private static let prefix = "offline-"

  /// Removes what daemons left that are gone.
  static func sweep(_ folder: String) {
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix(prefix), name.hasSuffix(".raw"),
        let owner = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }), owner > 0
      else { continue }
      let gone = kill(owner, 0) == -1 && errno == ESRCH
      if gone { unlink("\(folder)/\(name)") }
    }
  }
}
