internal import CLinux
internal import Glibc

/// Why a lock was not taken.
package enum FileLockError: Error, Hashable, Sendable {
  /// Another open file description holds it; the process that said so in the file, where one is alive.
  case held(processID: Int32?)
  case system(Errno)
}

/// An exclusive `flock` on a file that names its holder. The kernel lets go of it when the process dies.
///
/// The file is never removed: between an unlink and a new lock two processes could each hold one.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  private init(descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Takes the lock and writes this process's id into the file. Mode 0600, close-on-exec; a symbolic link is refused.
  package static func take(at path: String) throws(FileLockError) -> FileLock {
    let raw = try opened(path)
    let descriptor = FileDescriptor(owning: raw)
    do throws(Errno) {
      try Syscall.run("flock \(path)") { blurt_linux_flock(raw, LOCK_EX | LOCK_NB) }
      try Syscall.run("ftruncate \(path)") { ftruncate(raw, 0) }
      let line = Array("\(getpid())\n".utf8)
      try Syscall.run("write \(path)") { Glibc.pwrite(raw, line, line.count, 0) }
    } catch {
      if error.code == EWOULDBLOCK { throw .held(processID: holder(raw)) }
      throw .system(error)
    }
    return FileLock(descriptor: descriptor)
  }

  /// The same, trying again for a moment: a process that was killed while it started a child lives on in that child until
  /// the child has become another program, and a look at the lock shares it for an instant. Who is named in the file and
  /// lives is believed sooner.
  package static func takePatiently(at path: String) throws(FileLockError) -> FileLock {
    var held = FileLockError.held(processID: nil)
    for attempt in 0..<patientAttempts {
      if attempt > 0 { usleep(attemptPause) }
      do throws(FileLockError) {
        return try take(at: path)
      } catch {
        guard case .held(let processID) = error else { throw error }
        held = error
        if processID != nil && attempt >= namedAttempts { break }
      }
    }
    throw held
  }

  private static let namedAttempts = 4
  private static let patientAttempts = 20
  /// In microseconds. A look at the holder takes up to 50 ms more where the file names nobody.
  private static let attemptPause: UInt32 = 10_000

  /// Who holds the lock, as far as a look can tell.
  package enum Holder: Hashable, Sendable {
    /// Somebody; the process that said so in the file.
    case process(Int32?)
    /// Nobody: the file is there, or not even that.
    case nobody
  }

  /// Looks whether the lock is held, without making the file. Shares the lock for the moment of the look, so that looks
  /// do not see each other; who wants the lock meanwhile must try again.
  package static func holder(at path: String) throws(Errno) -> Holder {
    let raw: Int32
    do throws(Errno) {
      raw = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW).release()
    } catch {
      if error.code == ENOENT { return .nobody }
      throw error
    }
    let descriptor = FileDescriptor(owning: raw)
    do throws(Errno) {
      try Syscall.run("flock \(path)") { blurt_linux_flock(descriptor.raw, LOCK_SH | LOCK_NB) }
      return .nobody
    } catch {
      if error.code == EWOULDBLOCK { return .process(holder(descriptor.raw)) }
      throw error
    }
  }

  private static func opened(_ path: String) throws(FileLockError) -> Int32 {
    do throws(Errno) {
      return try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW).release()
    } catch {
      throw .system(error)
    }
  }

  /// Empties the file and lets go of the lock, also for a child process that has not yet closed what it inherited.
  package consuming func unlock() {
    _ = ftruncate(descriptor.raw, 0)
    _ = blurt_linux_flock(descriptor.raw, LOCK_UN)
  }

  /// The id in the file. The holder may have locked and not yet written, or an older one may have died with its id
  /// left behind: a few short looks tell.
  private static func holder(_ descriptor: Int32) -> Int32? {
    for _ in 0..<10 {
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = Glibc.pread(descriptor, &bytes, bytes.count, 0)
      if count > 0, let number = Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)),
        number > 0, kill(number, 0) == 0 || errno == EPERM
      {
        return number
      }
      usleep(5000)
    }
    return nil
  }
}
