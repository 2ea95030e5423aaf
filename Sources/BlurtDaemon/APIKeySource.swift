internal import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Where the API key comes from: the first of a systemd credential, the environment, the Secret Service and a private
/// file that holds one.
///
/// The key itself never leaves through a log, an error or a child's environment.
package final class APIKeySource: Sendable {
  /// A source that exists and may not be used.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case looseFile(path: String)
    case unreadable(path: String, reason: String)

    package var description: String {
      switch self {
      case .looseFile(let path):
        "The key file \(path) can be read or changed by others and is not used. Run: chmod 600 \(path)"
      case .unreadable(let path, let reason): "The key file \(path) cannot be read (\(reason))."
      }
    }
  }

  private struct State {
    var fixed: String?
    var problem: Problem?
  }

  private let keyFile: String
  private let state: Mutex<State>

  /// Reads the credential and the environment now, and takes the key out of the environment.
  package init(environment: [String: String], keyFile: String) {
    self.keyFile = keyFile
    var fixed: String?
    if let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty {
      fixed = Self.readTrimmed(folder + "/assemblyai-api-key")
    }
    if fixed == nil { fixed = environment["ASSEMBLYAI_API_KEY"]?.trimmedNonEmpty }
    unsetenv("ASSEMBLYAI_API_KEY")
    state = Mutex(State(fixed: fixed))
  }

  /// Whether the sources read at start have the key already.
  package var isFixed: Bool { state.withLock { $0.fixed != nil } }

  /// The key, or nil. The file is looked at anew each time, so that saving one is enough (S-50).
  package var current: String? {
    if let fixed = state.withLock({ $0.fixed }) { return fixed }
    do {
      let key = try readKeyFile()
      state.withLock { $0.problem = nil }
      return key
    } catch {
      let isNew = state.withLock { state in
        defer { state.problem = error }
        return state.problem != error
      }
      if isNew { Log.warning("the key file is not used", ["error": error.description]) }
      return nil
    }
  }

  /// Why the key file is not used, if it is there and is not.
  package var problem: Problem? { state.withLock { $0.problem } }

  /// Asks the Secret Service once. Blocks for up to five seconds: on a worker thread only.
  package func askSecretService(environment: [String: String]) {
    guard !isFixed, let path = environment["PATH"], environment["DBUS_SESSION_BUS_ADDRESS"] != nil,
      let program = HelperProgram.find("secret-tool", path: path)
    else { return }
    let kept = environment.filter { ["PATH", "HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains($0.key) }
    let result = try? HelperProgram.run(
      program, arguments: ["lookup", "service", "blurt"], environment: kept, limit: .seconds(5))
    guard let result, result.status == 0,
      let key = String(decoding: result.output, as: UTF8.self).trimmedNonEmpty
    else { return }
    state.withLock { $0.fixed = $0.fixed ?? key }
  }

  private func readKeyFile() throws(Problem) -> String? {
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(keyFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw .unreadable(path: keyFile, reason: error.reason)
    }
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw .looseFile(path: keyFile)
    }
    do {
      let bytes = try descriptor.read(upTo: 4_096) ?? []
      return String(decoding: bytes, as: UTF8.self).trimmedNonEmpty
    } catch {
      throw .unreadable(path: keyFile, reason: error.reason)
    }
  }

  private static func readTrimmed(_ path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self).trimmedNonEmpty
  }
}
