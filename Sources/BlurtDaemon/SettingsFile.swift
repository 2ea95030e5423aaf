package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The settings file, read again whenever it has changed (P-08, P-09).
///
/// Any thread may ask. A look costs one `stat`; a changed file is parsed once. A broken file reads as no settings and is
/// named once in the journal (P-10); it is never touched.
package final class SettingsFile: SettingsBacking {
  /// What tells one version of the file from another.
  private struct Version: Hashable {
    var inode: UInt64 = 0
    var size: Int64 = 0
    var seconds: Int = 0
    var nanoseconds: Int = 0
  }

  private struct State {
    var version: Version?
    var values: [String: SettingValue] = [:]
    var problem: String?
  }

  /// A member of the object whose type no setting has: skipped, never an error.
  private struct Member: Decodable {
    let value: SettingValue?
    init(from decoder: any Decoder) { value = try? SettingValue(from: decoder) }
  }

  package let path: String
  private let state = Mutex(State())

  package init(path: String) { self.path = path }

  package func value(forKey key: String) -> SettingValue? {
    state.withLock { state in
      let version = currentVersion()
      if version != state.version {
        state.version = version
        (state.values, state.problem) = version == nil ? ([:], nil) : read()
      }
      return state.values[key]
    }
  }

  /// Why the file as it is now is not used; nil where it is, or where there is none.
  package var problem: String? {
    _ = value(forKey: "")
    return state.withLock { $0.problem }
  }

  private func currentVersion() -> Version? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Version(
      inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  private func read() -> ([String: SettingValue], problem: String?) {
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      return (try JSONDecoder().decode([String: Member].self, from: data).compactMapValues(\.value), nil)
    } catch {
      let problem = "The settings file \(path) is not a JSON object, so the defaults are used. Mend it or move it away."
      Log.warning("the settings file cannot be read; the defaults are used", ["path": path, "problem": problem])
      return ([:], problem)
    }
  }
}
