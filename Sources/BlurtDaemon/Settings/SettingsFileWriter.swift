internal import BlurtOS
internal import Glibc

/// Changes the settings file on disk (P-08, P-10). Blocks; one at a time in the process.
struct SettingsFileWriter {
  /// What was written.
  struct Result: Sendable {
    let document: SettingsDocument
    /// Where a broken file was moved to.
    let setAside: String?
  }

  /// How often the file is read anew because another program changed it in the meantime.
  static let attemptCount = 5

  let path: String
  /// Called before the last look at the file, for tests.
  var beforeRename: @Sendable () -> Void = {}

  /// Reads the file, has it edited, and replaces it. `edit` may be called more than once; nothing is written where it says
  /// false or changes nothing, which gives nil. `inForce` is edited in the place of a broken file, so that a write changes
  /// what it was asked to and nothing else.
  func change(
    inForce: SettingsDocument = SettingsDocument(), _ edit: (inout SettingsDocument) -> Bool
  ) throws(SettingsFileError) -> Result? {
    for _ in 0..<Self.attemptCount {
      let (look, content) = SettingsFileContent.read(path)
      var document: SettingsDocument
      var isBroken = false
      switch content {
      case .nothing: document = SettingsDocument()
      case .settings(let read): document = read
      case .broken(let fault):
        guard fault.maySetAside else { throw .unusable(fault.sentence(path: path)) }
        document = inForce
        isBroken = true
      }
      let before = document
      // A value that is in force already is reason enough to put a file in order that is broken.
      var alone = SettingsDocument()
      let setsSomething = isBroken && edit(&alone) && alone != SettingsDocument()
      guard edit(&document), document != before || setsSomething else { return nil }
      let bytes = document.bytes
      guard bytes.count <= SettingsFileContent.largestFile else { throw .tooLarge }
      if let result = try replace(look, with: document, bytes, isBroken: isBroken) { return result }
    }
    throw .busy(path: path)
  }

  /// Nil where the file is not the one any more that was looked at.
  private func replace(
    _ look: SettingsFileLook, with document: SettingsDocument, _ bytes: [UInt8], isBroken: Bool
  ) throws(SettingsFileError) -> Result? {
    // A symbolic link stays, and what it leads to is replaced.
    let target = Self.resolved(path)
    let folder = PrivateFile.split(target).folder
    do throws(Errno) { try PrivateFile.makeFolder(folder) } catch { throw .system(folder: folder, error) }
    let setAside = isBroken ? try Self.setAside(target) : nil
    do throws(Errno) {
      let isDone = try PrivateFile.replace(target, with: bytes) {
        beforeRename()
        let now = SettingsFileLook(path: path)
        // A further name for the broken file is a change of it, and the only one that is ours.
        return setAside == nil ? now == look : now.hasSameContent(as: look)
      }
      if isDone { return Result(document: document, setAside: setAside) }
    } catch {
      if let setAside { unlink(setAside) }
      throw .system(folder: folder, error)
    }
    if let setAside { unlink(setAside) }
    return nil
  }

  /// Gives the broken file a second name, so that its own one is never missing: `.broken`, else `.broken-2` and so on.
  private static func setAside(_ path: String) throws(SettingsFileError) -> String {
    for number in 1...99 {
      let name = path + (number == 1 ? ".broken" : ".broken-\(number)")
      if link(path, name) == 0 {
        // Settings are their owner's alone. Where the owner is somebody else, the mode is theirs as well.
        chmod(name, 0o600)
        return name
      }
      let code = errno
      if code != EEXIST { throw .cannotSetAside(path: path, reason: Errno(code, call: "link").reason) }
    }
    throw .cannotSetAside(path: path, reason: "there are 99 of them already")
  }

  /// Where the path leads to. The end of a link that leads nowhere is where the file will be made.
  private static func resolved(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    var path = path
    // As many as the kernel follows at the most.
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { return path }
      let target = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = target.hasPrefix("/") ? target : PrivateFile.split(path).folder + "/" + target
    }
    return path
  }
}
