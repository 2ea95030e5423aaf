internal import Glibc

/// Owns one descriptor and closes it once.
package struct FileDescriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Takes ownership of an open descriptor.
  package init(owning raw: Int32) { self.raw = raw }

  deinit { _ = Glibc.close(raw) }

  /// Closes now and reports what the kernel says (a write that failed late).
  package consuming func close() throws(Errno) {
    let raw = self.raw
    discard self
    // Not repeated on EINTR: Linux has released the descriptor by then.
    if Glibc.close(raw) == -1 {
      let code = errno
      if code != EINTR { throw Errno(code, call: "close") }
    }
  }

  /// Gives the descriptor away; the caller closes it.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Opens a file, always close-on-exec.
  package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      owning: try Syscall.run("open \(path)") { Glibc.open(path, flags | O_CLOEXEC, mode) })
  }

  /// Reads at most `buffer.count` bytes; 0 is the end; nil would have blocked.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("read") { Glibc.read(raw, buffer.baseAddress, buffer.count) }
  }

  /// Reads at most that many bytes; an empty array is the end; nil would have blocked.
  package func read(upTo count: Int) throws(Errno) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    guard let read = try read(into: buffer) else { return nil }
    return Array(buffer[..<read])
  }

  /// Writes some of the bytes; nil would have blocked.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int? {
    try Syscall.runNonBlocking("write") { Glibc.write(raw, bytes.baseAddress, bytes.count) }
  }

  /// Writes all of the bytes to a blocking descriptor.
  package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try Syscall.run("write") { Glibc.write(raw, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
