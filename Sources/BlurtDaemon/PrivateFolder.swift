internal import BlurtOS
internal import Glibc

/// Folders that are the user's alone.
enum PrivateFolder {
  /// Makes a folder and its missing parents, all 0700, and refuses one that is a symbolic link or not ours. One that
  /// others could look into is closed to them.
  static func make(_ path: String) throws(Errno) {
    var partial = ""
    for component in path.split(separator: "/") {
      partial += (partial.isEmpty && !path.hasPrefix("/") ? "" : "/") + component
      if mkdir(partial, 0o700) == -1, errno != EEXIST {
        let code = errno
        // A parent that exists but may not be written to says EACCES or EROFS instead.
        var found = stat()
        if stat(partial, &found) == -1 { throw Errno(code, call: "mkdir \(partial)") }
      }
    }
    var found = stat()
    try Syscall.run("lstat \(path)") { lstat(path, &found) }
    guard found.st_mode & S_IFMT == S_IFDIR else { throw Errno(ENOTDIR, call: "use \(path)") }
    guard found.st_uid == geteuid() else { throw Errno(EPERM, call: "use \(path)") }
    if found.st_mode & 0o077 != 0 { try Syscall.run("chmod \(path)") { chmod(path, 0o700) } }
  }
}
