/// Paths as people read them.
package enum DisplayPath {
  /// The path with the home folder as `~` (S-106). Only whole components count: `/home/anna` is not in `/home/ann`.
  package static func abbreviated(_ path: String, home: String?) -> String {
    guard let home, home.hasPrefix("/") else { return path }
    let folder = home.last == "/" ? String(home.dropLast()) : home
    guard !folder.isEmpty else { return path }
    if path == folder { return "~" }
    return path.hasPrefix(folder + "/") ? "~" + path.dropFirst(folder.count) : path
  }
}
