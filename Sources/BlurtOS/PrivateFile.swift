internal import Glibc

/// Writes files that only their owner may read.
package enum PrivateFile {
  /// Replaces a file as a whole (temporary file, `fsync`, `rename`): a reader sees the old content or the new one, and
  /// after a loss of power one of both is there. Mode 0600. Blocks.
  ///
  /// `temporary` is the path of the temporary file, in the same folder; nil for one of this process's own. One that a dead
  /// process left there goes. `isDurable` false leaves out the `fsync`s: for folders in memory. `isStillWanted` is asked
  /// last; where it says no, nothing is changed.
  /// - Returns: false where it was not wanted any more.
  @discardableResult
  package static func replace(
    _ path: String, with bytes: [UInt8], temporary: String? = nil, isDurable: Bool = true,
    isStillWanted: () -> Bool = { true }
  ) throws(Errno) -> Bool {
    let (folder, name) = split(path)
    let temporary = temporary ?? "\(folder)/.\(name).\(getpid())"
    unlink(temporary)
    do throws(Errno) {
      let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      let failure = bytes.withUnsafeBytes { bytes -> Errno? in
        do throws(Errno) { try file.writeAll(bytes) } catch { return error }
        return nil
      }
      if let failure { throw failure }
      if isDurable { try Syscall.run("fsync \(temporary)") { fsync(file.raw) } }
      try file.close()
      guard isStillWanted() else {
        unlink(temporary)
        return false
      }
      try Syscall.run("rename \(temporary)") { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw error
    }
    if isDurable { syncFolder(folder) }
    return true
  }

  /// Makes a folder and those above it, each that is missing with mode 0700. One that is there stays as it is.
  package static func makeFolder(_ path: String) throws(Errno) {
    var partial = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      partial += "/" + part
      var found = stat()
      if stat(partial, &found) == 0 {
        guard found.st_mode & S_IFMT == S_IFDIR else { throw Errno(ENOTDIR, call: "use \(partial)") }
      } else if mkdir(partial, 0o700) == -1 {
        let code = errno
        if code != EEXIST { throw Errno(code, call: "mkdir \(partial)") }
      }
    }
  }

  /// The folder of a path and the name in it.
  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  /// Makes the new name last. Some file systems cannot; the file itself is safe then.
  private static func syncFolder(_ path: String) {
    guard let folder = try? FileDescriptor.open(path, O_RDONLY | O_DIRECTORY) else { return }
    _ = fsync(folder.raw)
  }
}
