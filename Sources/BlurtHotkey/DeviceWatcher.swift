package import BlurtOS
internal import Glibc

/// Tells which nodes appear in, change in and vanish from the folder of input devices (inotify).
///
/// A machine without any input device has no such folder: its parent is watched until it appears. One thread at a time
/// may use it.
package struct DeviceWatcher: ~Copyable {
  package enum Change: Sendable, Hashable {
    /// A node of that name came into being.
    case appeared(String)
    /// Its permissions changed, perhaps to our favour.
    case changed(String)
    case removed(String)
    /// Anything may have happened: look at the whole folder again.
    case everything
  }

  /// Why the folder cannot be watched; nil when it, or its parent, is.
  package private(set) var problem: Errno?

  private let file: FileDescriptor
  private let directory: String
  private let parent: String
  private let name: String
  private var directoryWatch: Int32?
  private var parentWatch: Int32?

  /// Makes the inotify descriptor, for `init`.
  package static func open() throws(Errno) -> FileDescriptor {
    FileDescriptor(owning: try Syscall.run("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) })
  }

  /// Watches from now on. Look at the folder once after this, so that nothing falls between.
  package init(_ file: consuming FileDescriptor, directory: String) {
    self.file = file
    self.directory = directory
    let parts = directory.split(separator: "/")
    name = parts.last.map(String.init) ?? ""
    parent = "/" + parts.dropLast().joined(separator: "/")
    watch()
  }

  /// For `poll`.
  package var descriptor: Int32 { file.raw }

  /// Reads what happened; never blocks.
  package mutating func changes() -> [Change] {
    var changes: [Change] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while let count = try? file.read(into: UnsafeMutableRawBufferPointer(buffer)), count > 0 {
        var offset = 0
        while offset + Self.headerSize <= count {
          let watch = buffer.load(fromByteOffset: offset, as: Int32.self)
          let mask = buffer.load(fromByteOffset: offset + 4, as: UInt32.self)
          let length = Int(buffer.load(fromByteOffset: offset + 12, as: UInt32.self))
          let start = offset + Self.headerSize
          let name = String(decoding: buffer[start..<min(start + length, count)].prefix { $0 != 0 }, as: UTF8.self)
          if let change = take(watch: watch, mask: mask, name: name) { changes.append(change) }
          offset = start + length
        }
      }
    }
    return changes
  }

  /// Watch descriptor, mask, cookie, length of the name.
  private static let headerSize = 16

  private mutating func take(watch: Int32, mask: UInt32, name: String) -> Change? {
    func has(_ flags: Int...) -> Bool { flags.contains { mask & UInt32($0) != 0 } }
    if has(Int(IN_Q_OVERFLOW)) { return .everything }
    if watch == directoryWatch {
      if has(Int(IN_IGNORED), Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)) {
        if !has(Int(IN_IGNORED)) { inotify_rm_watch(file.raw, watch) }
        directoryWatch = nil
        self.watch()
        return .everything
      }
      // The folder itself changed, perhaps its permissions.
      if name.isEmpty { return .everything }
      if has(Int(IN_CREATE), Int(IN_MOVED_TO)) { return .appeared(name) }
      if has(Int(IN_DELETE), Int(IN_MOVED_FROM)) { return .removed(name) }
      return .changed(name)
    }
    if watch == parentWatch {
      if has(Int(IN_IGNORED)) { parentWatch = nil }
      guard name == self.name, directoryWatch == nil else { return nil }
      self.watch()
      return directoryWatch == nil ? nil : .everything
    }
    return nil
  }

  /// Watches the folder, or its parent for as long as there is no folder.
  private mutating func watch() {
    if watchDirectory() { return }
    do {
      parentWatch = try add(parent, Int(IN_CREATE) | Int(IN_MOVED_TO) | Int(IN_ATTRIB))
      // It may have come in between.
      _ = watchDirectory()
    } catch {
      problem = error
    }
  }

  private mutating func watchDirectory() -> Bool {
    let events =
      Int(IN_CREATE) | Int(IN_ATTRIB) | Int(IN_DELETE) | Int(IN_MOVED_TO) | Int(IN_MOVED_FROM) | Int(IN_DELETE_SELF)
      | Int(IN_MOVE_SELF)
    do {
      directoryWatch = try add(directory, events)
    } catch {
      problem = error.code == ENOENT || error.code == ENOTDIR ? nil : error
      return false
    }
    problem = nil
    if let parentWatch { inotify_rm_watch(file.raw, parentWatch) }
    parentWatch = nil
    return true
  }

  private func add(_ path: String, _ events: Int) throws(Errno) -> Int32 {
    try Syscall.run("inotify_add_watch \(path)") {
      inotify_add_watch(file.raw, path, UInt32(events) | UInt32(IN_ONLYDIR))
    }
  }
}
