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

  private let inotify: Inotify
  private let directory: String
  private let parent: String
  private let name: String
  private var directoryWatch: Int32?
  private var parentWatch: Int32?

  /// Makes the inotify descriptor, for `init`.
  package static func open() throws(Errno) -> FileDescriptor { try Inotify.open() }

  /// Watches from now on. Look at the folder once after this, so that nothing falls between.
  package init(_ file: consuming FileDescriptor, directory: String) {
    inotify = Inotify(file)
    self.directory = directory
    let parts = directory.split(separator: "/")
    name = parts.last.map(String.init) ?? ""
    parent = "/" + parts.dropLast().joined(separator: "/")
    watch()
  }

  /// For `poll`.
  package var descriptor: Int32 { inotify.descriptor }

  /// Reads what happened; never blocks.
  package mutating func changes() -> [Change] {
    var changes: [Change] = []
    for event in inotify.events() { if let change = take(event) { changes.append(change) } }
    return changes
  }

  private mutating func take(_ event: Inotify.Event) -> Change? {
    let (watch, name) = (event.watch, event.name)
    if event.has(Int(IN_Q_OVERFLOW)) { return .everything }
    if watch == directoryWatch {
      if event.has(Int(IN_IGNORED), Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)) {
        if !event.has(Int(IN_IGNORED)) { inotify.remove(watch) }
        directoryWatch = nil
        self.watch()
        return .everything
      }
      // The folder itself changed, perhaps its permissions.
      if name.isEmpty { return .everything }
      if event.has(Int(IN_CREATE), Int(IN_MOVED_TO)) { return .appeared(name) }
      if event.has(Int(IN_DELETE), Int(IN_MOVED_FROM)) { return .removed(name) }
      return .changed(name)
    }
    if watch == parentWatch {
      if event.has(Int(IN_IGNORED)) { parentWatch = nil }
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
      parentWatch = try inotify.add(parent, Int(IN_CREATE), Int(IN_MOVED_TO), Int(IN_ATTRIB))
      // It may have come in between.
      _ = watchDirectory()
    } catch {
      problem = error
    }
  }

  private mutating func watchDirectory() -> Bool {
    do {
      directoryWatch = try inotify.add(
        directory, Int(IN_CREATE), Int(IN_ATTRIB), Int(IN_DELETE), Int(IN_MOVED_TO), Int(IN_MOVED_FROM),
        Int(IN_DELETE_SELF), Int(IN_MOVE_SELF))
    } catch {
      problem = error.code == ENOENT || error.code == ENOTDIR ? nil : error
      return false
    }
    problem = nil
    if let parentWatch { inotify.remove(parentWatch) }
    parentWatch = nil
    return true
  }
}
