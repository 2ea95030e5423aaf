internal import BlurtOS
internal import Glibc

/// What stands at the path of the settings file, and which version of it (`stat`). Two equal looks saw the same content.
struct SettingsFileLook: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case nothing
    case file
    /// A folder, a pipe, a device: never opened.
    case otherThing
    case unreachable(Int32)
  }

  /// How long after a change another one may still carry the same time: the kernel's clock for files ticks every 4 to 10 ms.
  static let settlingTime: Duration = .milliseconds(20)

  private let kind: Kind
  private var device: UInt64 = 0
  private var inode: UInt64 = 0
  private var size: Int64 = 0
  private var modified: Duration = .zero
  /// Of the last change of content, name or mode, on the clock of the day.
  private var changed: Duration = .zero

  /// Looks now. Blocks for as long as the file system does.
  init(path: String) {
    var found = stat()
    if stat(path, &found) == 0 {
      self.init(found)
    } else {
      let code = errno
      self.init(kind: code == ENOENT || code == ENOTDIR ? .nothing : .unreachable(code))
    }
  }

  private init(kind: Kind) { self.kind = kind }

  init(_ found: stat) {
    kind = found.st_mode & S_IFMT == S_IFREG ? .file : .otherThing
    device = UInt64(found.st_dev)
    inode = UInt64(found.st_ino)
    size = Int64(found.st_size)
    modified = .seconds(found.st_mtim.tv_sec) + .nanoseconds(found.st_mtim.tv_nsec)
    changed = .seconds(found.st_ctim.tv_sec) + .nanoseconds(found.st_ctim.tv_nsec)
  }

  var isNothing: Bool { kind == .nothing }
  var isFile: Bool { kind == .file }
  var isEmptyFile: Bool { kind == .file && size == 0 }

  /// Whether it is the same file with the same content, perhaps under one more name.
  func hasSameContent(as other: Self) -> Bool {
    kind == other.kind && device == other.device && inode == other.inode && size == other.size
      && modified == other.modified
  }

  /// Why nobody can tell what stands there.
  var failure: Errno? {
    if case .unreachable(let code) = kind { return Errno(code, call: "stat") }
    return nil
  }

  /// Whether a further change would be seen as one: the last one is not of this very moment.
  var isSettled: Bool { kind != .file || isOlder(than: Self.settlingTime) }

  /// Whether nothing has changed for that long. False where the clock was set back.
  func isOlder(than limit: Duration) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - changed > limit
  }
}
