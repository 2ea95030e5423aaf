internal import CLinux
internal import Glibc

/// Files in memory without a name: for the input of a program, which may then seek in it.
package enum MemoryFile {
  /// A file with those bytes, after them the first `byteCount` bytes of the file at `path`, if one is given, and `tail`
  /// at its end. Blocks.
  package static func make(
    _ head: [UInt8], appending path: String? = nil, byteCount: Int = 0, tail: [UInt8] = []
  ) throws(Errno) -> FileDescriptor {
    let file = FileDescriptor(owning: try Syscall.run("memfd_create") { blurt_linux_memory_file("blurt-input") })
    try append(head, to: file)
    if let path {
      let source = try FileDescriptor.open(path, O_RDONLY)
      var left = byteCount
      while left > 0 {
        guard let part = try source.read(upTo: min(left, 1 << 18)), !part.isEmpty else {
          throw Errno(EIO, call: "read \(path)")
        }
        try append(part, to: file)
        left -= part.count
      }
    }
    try append(tail, to: file)
    try Syscall.run("lseek") { lseek(file.raw, 0, SEEK_SET) }
    return file
  }

  private static func append(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws(Errno) {
    let raw = file.raw
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest
      let count = try Syscall.run("write") { part.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) } }
      rest = rest.dropFirst(count)
    }
  }
}
