internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// The folder of the developer logs (S-106): 0700, its files 0600, and no symbolic link is followed into it.
///
/// Blocks: for the log's worker thread. The errors name files by their name only (S-103).
struct DeveloperLogFolder: Sendable {
  let path: String

  /// Appends a line, or leaves the file as it was. Makes what is not there (S-102).
  func append(_ line: DeveloperLogLine) throws(Errno) {
    let name = line.file.name
    do throws(Errno) {
      try PrivateFolder.make(path)
    } catch {
      throw Errno(error.code, call: "make the folder")
    }
    let folder = try open()
    // Not blocking, so that a pipe of that name holds nobody up.
    let file = FileDescriptor(
      owning: try Syscall.run("open \(name)") {
        openat(folder.raw, name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      })
    var found = stat()
    try Syscall.run("fstat \(name)") { fstat(file.raw, &found) }
    guard found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid() else { throw Errno(EPERM, call: "use \(name)") }
    if found.st_mode & 0o077 != 0 { try Syscall.run("fchmod \(name)") { fchmod(file.raw, 0o600) } }
    var bytes = line.bytes
    // A power cut may have left half a line: it stays a line of its own.
    var last = UInt8(ascii: "\n")
    if found.st_size > 0, pread(file.raw, &last, 1, found.st_size - 1) == 1, last != UInt8(ascii: "\n") {
      bytes.insert(UInt8(ascii: "\n"), at: 0)
    }
    let failure = bytes.withUnsafeBytes { bytes -> Errno? in
      do throws(Errno) { try file.writeAll(bytes) } catch { return error }
      return nil
    }
    if let failure {
      // Half a line helps nobody; if even this fails, the next line starts on a line of its own.
      _ = ftruncate(file.raw, found.st_size)
      throw failure
    }
  }

  /// Removes both files, and the folder if nothing else lies in it; what is not there is removed (S-105).
  ///
  /// Throws the first file that stays, after the other was tried.
  func removeFiles() throws(Errno) {
    guard let raw = try openedIfThere() else { return }
    let folder = FileDescriptor(owning: raw)
    var failure: Errno?
    for file in DeveloperLogFile.allCases {
      do throws(Errno) {
        try Syscall.run("remove \(file.name)") { unlinkat(folder.raw, file.name, 0) }
      } catch {
        if error.code != ENOENT { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    // Not empty, or not ours to remove: the folder alone tells nothing.
    _ = rmdir(path)
  }

  private func openedIfThere() throws(Errno) -> Int32? {
    do throws(Errno) {
      return try open().release()
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  private func open() throws(Errno) -> FileDescriptor {
    FileDescriptor(
      owning: try Syscall.run("open the folder") { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }
}
