internal import Glibc

/// The kernel's news about folders (`inotify`). One thread at a time may use it.
package struct Inotify: ~Copyable, Sendable {
  /// One piece of news, as the kernel gives it.
  package struct Event: Sendable, Hashable {
    /// The watch, as `add` returned it; −1 for the overflow of the queue.
    package let watch: Int32
    private let mask: UInt32
    /// The entry of the folder that it is about; empty for the folder itself.
    package let name: String

    init(watch: Int32, mask: UInt32, name: String) {
      self.watch = watch
      self.mask = mask
      self.name = name
    }

    /// Whether it is of one of these kinds (`IN_CREATE`, …).
    package func has(_ kinds: Int...) -> Bool { kinds.contains { mask & UInt32($0) != 0 } }
  }

  private let file: FileDescriptor

  /// Makes the descriptor, for `init`.
  package static func open() throws(Errno) -> FileDescriptor {
    FileDescriptor(owning: try Syscall.run("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) })
  }

  package init(_ file: consuming FileDescriptor) { self.file = file }

  /// For `poll`.
  package var descriptor: Int32 { file.raw }

  /// Watches a folder for these kinds of news from now on. The same folder again gives the same watch.
  package func add(_ folder: String, _ kinds: Int...) throws(Errno) -> Int32 {
    let mask = kinds.reduce(UInt32(IN_ONLYDIR)) { $0 | UInt32($1) }
    return try Syscall.run("inotify_add_watch \(folder)") { inotify_add_watch(file.raw, folder, mask) }
  }

  package func remove(_ watch: Int32) { inotify_rm_watch(file.raw, watch) }

  /// Takes what has happened; never blocks.
  package func events() -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while let count = try? file.read(into: UnsafeMutableRawBufferPointer(buffer)), count > 0 {
        var offset = 0
        while offset + Self.headerSize <= count {
          let start = offset + Self.headerSize
          let end = start + Int(buffer.load(fromByteOffset: offset + 12, as: UInt32.self))
          let name = String(decoding: buffer[start..<min(end, count)].prefix { $0 != 0 }, as: UTF8.self)
          events.append(
            Event(
              watch: buffer.load(fromByteOffset: offset, as: Int32.self),
              mask: buffer.load(fromByteOffset: offset + 4, as: UInt32.self), name: name))
          offset = end
        }
      }
    }
    return events
  }

  /// Watch descriptor, mask, cookie, length of the name.
  private static let headerSize = 16
}
