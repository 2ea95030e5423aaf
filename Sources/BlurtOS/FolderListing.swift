internal import Glibc

/// Lists folders of the kernel and of the system, which are small.
package enum FolderListing {
  /// The names in a folder, in no order, "." and ".." among them; none where it cannot be opened. Blocks on the folder.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}
