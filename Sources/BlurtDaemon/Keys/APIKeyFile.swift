package import BlurtEngine
internal import BlurtOS
internal import Glibc

/// A key in a file of the user's own, mode 0600; one that others can read or change is refused (P-76).
package struct APIKeyFile: APIKeyStorage {
  /// A file that exists and may not be used.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case looseFile(path: String)
    case unreadable(path: String, reason: String)

    package var description: String {
      switch self {
      case .looseFile(let path):
        "The key file \(path) can be read or changed by others and is not used. Run: chmod 600 \(path)"
      case .unreadable(let path, let reason): "The key file \(path) cannot be read (\(reason))."
      }
    }
  }

  /// The most bytes that are read of it.
  private static let longest = 4_096

  package let path: String

  package init(path: String) { self.path = path }

  package func read() -> APIKeyReading {
    do throws(Problem) {
      return try key().map { .found($0) } ?? .absent
    } catch {
      return .unavailable(error.description)
    }
  }

  /// The key, or nil where there is no file or nothing in it.
  package func key() throws(Problem) -> String? {
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw .unreadable(path: path, reason: error.reason)
    }
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw .looseFile(path: path)
    }
    do {
      let bytes = try descriptor.read(upTo: Self.longest) ?? []
      return String(decoding: bytes, as: UTF8.self).trimmedNonEmpty
    } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }

  /// Replaces the file as a whole, so that a write that fails leaves the old key.
  package func write(_ key: String?) throws(APIKeyStoreFault) {
    guard let key else {
      if unlink(path) == -1, errno != ENOENT, errno != ENOTDIR {
        throw APIKeyStoreFault("The key file cannot be removed (\(Errno(errno, call: "unlink").reason)): rm \(path)")
      }
      return
    }
    do throws(Errno) {
      try PrivateFile.makeFolder(PrivateFile.split(path).folder)
      try PrivateFile.replace(path, with: Array("\(key)\n".utf8))
    } catch {
      throw APIKeyStoreFault(
        "The key file \(path) cannot be written (\(error.reason)): look at its folder's permissions and free space.")
    }
  }
}
