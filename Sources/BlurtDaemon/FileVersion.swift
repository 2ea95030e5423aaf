internal import Glibc

/// What tells one version of a file from another: any change of its content, its place or its permissions.
package struct FileVersion: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let mode: UInt32
  private let owner: UInt32
  /// When it last changed, by the system's clock, in nanoseconds.
  private let changed: Int64

  /// The version of the file at the path, through links, as it is now; nil where there is none. One `stat`.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
  }

  /// Whether a later change is sure to give another version. The times of files move in steps of some milliseconds, so
  /// that a file which has just changed may change again and look the same.
  package func isSettled(at now: Int64) -> Bool { now - changed > 1_000_000_000 }

  /// The clock that files are stamped with, in nanoseconds.
  package static func now() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
