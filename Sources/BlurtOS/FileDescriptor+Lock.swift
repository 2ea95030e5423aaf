internal import CLinux

extension FileDescriptor {
  /// Takes the exclusive lock of the open file (`flock`) without waiting.
  ///
  /// The kernel drops it when the last descriptor of this opening closes, so also at the death of the process.
  /// - Returns: false where someone else holds it.
  package func tryLock() throws(Errno) -> Bool {
    try Syscall.runNonBlocking("flock") { blurt_linux_flock(raw, Int32(LOCK_EX | LOCK_NB)) } != nil
  }
}
