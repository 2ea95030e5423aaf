internal import BlurtOS
internal import Glibc

/// What was read at the path of the settings file.
enum SettingsFileContent: Sendable, Hashable {
  case nothing
  case settings(SettingsDocument)
  /// It is there and cannot be used.
  case broken(Fault)

  enum Fault: Error, Sendable, Hashable {
    case document(SettingsDocument.Fault)
    case tooLarge
    case notAFile
    case unreadable(Errno)

    /// Ends each sentence: what counts while the file is there and cannot be used.
    private static let meanwhile =
      "Until it is usable, audio stays on this computer and the other settings stay as they are."

    /// Whether what stands there may be moved aside to make room: only what was read and is of no use.
    var maySetAside: Bool {
      switch self {
      case .document, .tooLarge: true
      case .notAFile, .unreadable: false
      }
    }

    /// One sentence that says what is wrong and what to do.
    func sentence(path: String) -> String {
      switch self {
      case .document(.notJSON(let detail)):
        "The settings file \(path) is not used (\(detail)). \(Self.meanwhile) Mend it or move it away."
      case .document(.notAnObject):
        "The settings file \(path) is not a JSON object. \(Self.meanwhile) Mend it or move it away."
      case .tooLarge:
        "The settings file \(path) is larger than \(SettingsFileContent.largestFile >> 20) MiB. "
          + "\(Self.meanwhile) Move it away."
      case .notAFile: "\(path) is not a regular file. \(Self.meanwhile) Move it away."
      case .unreadable(let errno) where errno.code == ELOOP:
        "The settings file \(path) is a link to itself. \(Self.meanwhile) Remove it: rm \(path)"
      case .unreadable(let errno):
        "The settings file \(path) cannot be read (\(errno.reason)). \(Self.meanwhile) Run: chmod u+rw \(path)"
      }
    }
  }

  /// A settings file of more bytes is none.
  static let largestFile = 1 << 20

  /// Reads what is there now, with the look that belongs to it. Blocks for as long as the file system does, but never on
  /// a pipe or a device.
  static func read(_ path: String) -> (look: SettingsFileLook, content: SettingsFileContent) {
    let look = SettingsFileLook(path: path)
    if look.isNothing { return (look, .nothing) }
    if let failure = look.failure { return (look, .broken(.unreadable(failure))) }
    guard look.isFile else { return (look, .broken(.notAFile)) }
    do throws(Errno) {
      // The path may lead elsewhere by now: a pipe without a writer must not hang the thread.
      let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      var found = stat()
      try Syscall.run("fstat \(path)") { fstat(file.raw, &found) }
      let look = SettingsFileLook(found)
      guard look.isFile else { return (look, .broken(.notAFile)) }
      guard found.st_size <= largestFile, let bytes = try bytes(of: file) else { return (look, .broken(.tooLarge)) }
      do throws(SettingsDocument.Fault) {
        return (look, .settings(try SettingsDocument(bytes)))
      } catch {
        return (look, .broken(.document(error)))
      }
    } catch {
      return error.code == ENOENT ? (SettingsFileLook(path: path), .nothing) : (look, .broken(.unreadable(error)))
    }
  }

  /// The whole file; nil where it has grown too large meanwhile.
  private static func bytes(of file: borrowing FileDescriptor) throws(Errno) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let part = try file.read(upTo: 1 << 16), !part.isEmpty {
      bytes += part
      if bytes.count > largestFile { return nil }
    }
    return bytes
  }
}
