internal import Glibc

/// Which folders to watch for one file, and what their news mean for it.
///
/// The file, its folder and folders above may be missing: the nearest one that exists is watched for the next. Where the
/// path is a symbolic link, the place that it leads to is watched as well. One thread at a time may use it.
package struct FileWatchList: ~Copyable {
  /// Why nothing, or not everything, can be watched; nil where all is.
  package private(set) var problem: Errno?

  private let inotify: Inotify
  private let path: String
  /// The entries that matter, by the folder's watch.
  private var names: [Int32: Set<String>] = [:]
  /// The folders' paths, by their watch.
  private var folders: [Int32: String] = [:]

  /// Watches from now on. Look at the file once after this, so that nothing falls between. The path is absolute.
  package init(_ inotify: consuming Inotify, path: String) {
    self.inotify = inotify
    self.path = path
    arrange()
  }

  /// For `poll`.
  package var descriptor: Int32 { inotify.descriptor }

  /// Takes what has happened; true where the file may have another content by now. Never blocks for long.
  ///
  /// A file that is being written does not count before it is closed.
  package mutating func takeChanges() -> Bool {
    var hasChanged = false
    var isStale = false
    for event in inotify.events() {
      if event.has(Int(IN_Q_OVERFLOW), Int(IN_IGNORED), Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)) {
        // Also at the end of a watch that was given up: another look costs little.
        isStale = true
        hasChanged = hasChanged || names[event.watch] != nil || event.has(Int(IN_Q_OVERFLOW))
        // A folder that was moved away keeps its watch, and a lost one must not be taken for a live one.
        if names[event.watch] != nil {
          if event.has(Int(IN_MOVE_SELF)) { inotify.remove(event.watch) }
          names[event.watch] = nil
        }
      } else if names[event.watch]?.contains(event.name) == true {
        isStale = true
        if !event.has(Int(IN_CREATE)) || isComplete(event) { hasChanged = true }
      }
    }
    if isStale { arrange() }
    return hasChanged
  }

  /// Whether a new entry is there in full: a folder, a symbolic or a further hard link. A new file will be closed.
  private func isComplete(_ event: Inotify.Event) -> Bool {
    var found = stat()
    guard let folder = folders[event.watch], lstat(folder + "/" + event.name, &found) == 0 else { return true }
    return found.st_mode & S_IFMT != S_IFREG || found.st_nlink > 1
  }

  /// Watches what must be watched now, and nothing else.
  private mutating func arrange() {
    problem = nil
    var wanted: [Int32: Set<String>] = [:]
    follow(path, &wanted)
    if let target = Self.target(of: path), target != path { follow(target, &wanted) }
    for watch in names.keys where wanted[watch] == nil { inotify.remove(watch) }
    folders = folders.filter { wanted[$0.key] != nil }
    names = wanted
  }

  /// Watches the file's folder, or the nearest one above that exists for the next part of the path.
  private mutating func follow(_ path: String, _ wanted: inout [Int32: Set<String>]) {
    var parts = path.split(separator: "/").map(String.init)
    var name = parts.popLast() ?? ""
    var missing: [String] = []
    while true {
      let folder = "/" + parts.joined(separator: "/")
      do throws(Errno) {
        let watch = try inotify.add(
          folder, Int(IN_CREATE), Int(IN_CLOSE_WRITE), Int(IN_MOVED_TO), Int(IN_MOVED_FROM), Int(IN_DELETE),
          Int(IN_DELETE_SELF), Int(IN_MOVE_SELF))
        wanted[watch, default: []].insert(name)
        folders[watch] = folder
      } catch {
        // Missing, or a file stands in its place: the folder above will tell of a change.
        guard error.code == ENOENT || error.code == ENOTDIR, let next = parts.popLast() else {
          problem = error
          return
        }
        missing.append(name)
        name = next
        continue
      }
      // It may have come between the look and the watch.
      var found = stat()
      guard let next = missing.popLast(), stat(folder + "/" + name, &found) == 0,
        found.st_mode & S_IFMT == S_IFDIR
      else { return }
      parts.append(name)
      name = next
    }
  }

  /// Where the path leads to; nil where that does not exist.
  private static func target(of path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
