internal import BlurtOS
internal import Glibc

/// The right to serve a socket: the lock beside it and, where this process made it, its file.
///
/// The lock file has the socket's name with `.lock` for `.sock`; it stays when the daemon ends. Whoever holds it is the
/// only one who may remove a stale socket file, so a live daemon's socket is never removed.
struct SocketClaim: ~Copyable, Sendable {
  /// The socket file that was made, by its identity, so that no other one is ever removed.
  private struct Made: Sendable {
    let path: String
    let device: dev_t
    let inode: ino_t
  }

  /// Non-blocking.
  private let listener: FileDescriptor
  private let lock: FileLock?
  private let made: Made?

  private init(listener: consuming FileDescriptor, lock: consuming FileLock?, made: Made?) {
    self.listener = listener
    self.lock = lock
    self.made = made
  }

  /// The listening descriptor, open as long as the claim lives.
  var descriptor: Int32 { listener.raw }

  /// Takes the lock and listens, at a path or on a socket that was handed over.
  static func take(_ socket: ControlSocket) throws(ControlServerError) -> SocketClaim {
    switch socket {
    case .path(let path): try make(path)
    case .activated(let descriptor): try adopt(descriptor)
    }
  }

  /// Removes the socket file if this process made it, lets go of the lock and stops listening.
  consuming func release() {
    if let made {
      var status = stat()
      if lstat(made.path, &status) == 0, status.st_dev == made.device, status.st_ino == made.inode {
        unlink(made.path)
      }
    }
    lock?.unlock()
  }

  /// The path of the lock that belongs to a socket.
  static func lockPath(of path: String) -> String {
    (path.hasSuffix(".sock") ? String(path.dropLast(5)) : path) + ".lock"
  }

  private static func make(_ path: String) throws(ControlServerError) -> SocketClaim {
    let folder = SocketPath.folder(of: path)
    try prepare(folder)
    let lock = try takeLock(path, folder: folder)
    var isTaken = true
    for attempt in 0..<attempts where isTaken {
      if attempt > 0 { usleep(pause) }
      isTaken = UnixSocket.isListening(at: path) ?? answers(path)
    }
    if isTaken { throw .alreadyListening(path: path) }
    try removeStale(path, folder: folder)
    let listener = try listen(path)
    var status = stat()
    let made = lstat(path, &status) == 0 ? Made(path: path, device: status.st_dev, inode: status.st_ino) : nil
    return SocketClaim(listener: listener, lock: lock, made: made)
  }

  private static func adopt(_ descriptor: Int32) throws(ControlServerError) -> SocketClaim {
    let listener = FileDescriptor(owning: descriptor)
    do throws(Errno) {
      try UnixSocket.setNonBlocking(descriptor, true)
      try Syscall.run("fcntl FD_CLOEXEC") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    } catch {
      throw .system(error)
    }
    // A socket without a name in the file system has no place for a lock.
    guard let path = UnixSocket.path(of: descriptor) else {
      return SocketClaim(listener: listener, lock: nil, made: nil)
    }
    let lock = try takeLock(path, folder: SocketPath.folder(of: path))
    return SocketClaim(listener: listener, lock: lock, made: nil)
  }

  /// Makes the folder, for this user alone, unless it is there. Only the last part of the path is made.
  private static func prepare(_ folder: String) throws(ControlServerError) {
    do throws(Errno) {
      try Syscall.run("mkdir \(folder)") { mkdir(folder, 0o700) }
    } catch {
      var status = stat()
      if stat(folder, &status) == 0 {
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .folder(folder, Errno(ENOTDIR, call: error.call)) }
      } else {
        throw .folder(folder, error)
      }
    }
  }

  private static func takeLock(_ path: String, folder: String) throws(ControlServerError) -> FileLock {
    do throws(FileLockError) {
      return try FileLock.takePatiently(at: lockPath(of: path))
    } catch {
      switch error {
      case .held(let processID): throw .alreadyRunning(path: path, processID: processID)
      case .system(let error): throw .folder(folder, error)
      }
    }
  }

  /// A daemon that was killed while it started a child lives on in that child for a moment, until the child has become
  /// another program: what is taken is looked at again before it counts.
  private static let attempts = 5
  /// Between two looks, in microseconds.
  private static let pause: UInt32 = 10_000

  /// Whether a connection is accepted; only where the kernel's table cannot be read.
  private static func answers(_ path: String) -> Bool {
    do throws(Errno) {
      _ = try UnixSocket.connect(to: path)
      return true
    } catch {
      return false
    }
  }

  private static func removeStale(_ path: String, folder: String) throws(ControlServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    do throws(Errno) {
      try Syscall.run("unlink \(path)") { unlink(path) }
    } catch {
      throw .folder(folder, error)
    }
  }

  private static func listen(_ path: String) throws(ControlServerError) -> FileDescriptor {
    do throws(Errno) {
      let listener = try UnixSocket.listen(at: path, backlog: 128)
      try UnixSocket.setNonBlocking(listener.raw, true)
      return listener
    } catch {
      throw .system(error)
    }
  }
}
