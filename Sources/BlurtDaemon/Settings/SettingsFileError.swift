package import BlurtOS
internal import Glibc

/// Why a setting was not stored. The description says what to do.
package enum SettingsFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What stands at the path can neither be used nor moved aside; with the sentence about it.
  case unusable(String)
  /// Nothing can be written in the folder.
  case system(folder: String, Errno)
  /// The broken file cannot be moved aside.
  case cannotSetAside(path: String, reason: String)
  /// All settings together would be larger than the file may be.
  case tooLarge
  /// Another program changes the file all the time.
  case busy(path: String)
  /// A number that JSON does not have.
  case notJSON

  package var description: String {
    switch self {
    case .unusable(let sentence): sentence
    case .system(let folder, let error):
      switch error.code {
      case EACCES, EPERM: "The folder \(folder) may not be written (\(error.reason)). Run: chmod u+rwx \(folder)"
      case EROFS: "\(folder) is read-only. Mount its file system writable, or set BLURT_CONFIG_DIR to another folder."
      case ENOSPC, EDQUOT: "There is no room left in \(folder) (\(error.reason)). Free some and try again."
      case ENOTDIR: "A file stands where the folder \(folder) should be. Move it away."
      default: "Nothing can be written in the folder \(folder) (\(error.reason)). Look at it and try again."
      }
    case .cannotSetAside(let path, let reason):
      "The settings file \(path) is broken and cannot be moved aside (\(reason)). Move it away yourself."
    case .tooLarge: "All settings together may have \(SettingsFileContent.largestFile >> 20) MiB. Remove some first."
    case .busy(let path): "Another program keeps changing \(path). Close it and try again."
    case .notJSON: "A number must be finite."
    }
  }
}
