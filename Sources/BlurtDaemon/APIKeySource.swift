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

  /// Where a key came from that was read once.
  private enum Origin {
    case credential, environment, secretService
  }

  private struct State {
    var fixed: String?
    var origin: Origin?
    var problem: Problem?
    /// Goes up with each removal: an answer to an older question is out of date.
    var removalCount = 0
  }

  private let keyFile: String
  /// The attribute `service` under which the Secret Service has the key (P-56).
  private let service: String
  private let state: Mutex<State>

  /// Reads the credential and the environment now, and takes the key out of the environment.
  package init(
    environment: [String: String], keyFile: String, service: String = HostIdentity.current.keychainService
  ) {
    self.keyFile = keyFile
    self.service = service
    var fixed: String?
    var origin = Origin.credential
    if let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty {
      fixed = Self.readTrimmed(folder + "/assemblyai-api-key")
    }
    if fixed == nil {
      fixed = environment["ASSEMBLYAI_API_KEY"]?.trimmedNonEmpty
      origin = .environment
    }
    unsetenv("ASSEMBLYAI_API_KEY")
    state = Mutex(State(fixed: fixed, origin: fixed == nil ? nil : origin))
  }

  /// Whether the sources read at start have the key already.
  package var isFixed: Bool { state.withLock { $0.fixed != nil } }

  /// The file that decides whether there is a key; nil while another source has it.
  package var decidingFile: String? { isFixed ? nil : keyFile }

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
    let removalCount = state.withLock { $0.fixed == nil ? $0.removalCount : nil }
    guard let removalCount, let result = secretTool("lookup", environment: environment), result.status == 0,
      let key = String(decoding: result.output, as: UTF8.self).trimmedNonEmpty
    else { return }
    state.withLock { state in
      guard state.fixed == nil, state.removalCount == removalCount else { return }
      state.fixed = key
      state.origin = .secretService
    }
  }

  /// Removes the key wherever it is stored, and forgets it (P-62). Returns a sentence for each place that has one still.
  ///
  /// Blocks for up to ten seconds: on a worker thread only. What the daemon was started with is not stored by it: it
  /// stays in use and is named.
  package func removeStored(environment: [String: String]) -> [String] {
    var survivors: [String] = []
    let origin = state.withLock { state in
      state.removalCount += 1
      state.problem = nil
      if state.origin == .secretService { (state.fixed, state.origin) = (nil, nil) }
      return state.origin
    }
    if unlink(keyFile) == -1, errno != ENOENT, errno != ENOTDIR {
      let reason = Errno(errno, call: "unlink").reason
      survivors.append("The key file cannot be removed (\(reason)): rm \(keyFile)")
    }
    if let left = clearSecretService(environment: environment) { survivors.append(left) }
    switch origin {
    case nil, .secretService: break
    case .credential:
      survivors.append(
        "The key is a systemd credential: take LoadCredential= or SetCredential= out of the unit's drop-in "
          + "(systemctl --user edit blurtd) and restart it.")
    case .environment:
      survivors.append(
        "blurtd was started with ASSEMBLYAI_API_KEY: unset it where it is set (systemctl --user unset-environment "
          + "ASSEMBLYAI_API_KEY, a drop-in, a profile) and restart blurtd.")
    }
    return survivors
  }

  /// A sentence where the Secret Service has the key still. Its program has no status that tells a removed key from one
  /// that was never there, so it is asked again.
  private func clearSecretService(environment: [String: String]) -> String? {
    guard let cleared = secretTool("clear", environment: environment) else { return nil }
    let isGone: Bool
    if cleared.status != nil, let left = secretTool("lookup", environment: environment), left.status != nil {
      isGone = left.status != 0 || left.output.isEmpty
    } else {
      isGone = false
    }
    return isGone ? nil : "The Secret Service did not remove the key: secret-tool clear service \(service)"
  }

  /// What `secret-tool` says to a verb; nil where it is not installed or there is no session bus. Blocks for up to five
  /// seconds.
  private func secretTool(_ verb: String, environment: [String: String]) -> HelperProgram.Result? {
    guard let path = environment["PATH"], environment["DBUS_SESSION_BUS_ADDRESS"] != nil,
      let program = HelperProgram.find("secret-tool", path: path)
    else { return nil }
    let kept = environment.filter { ["PATH", "HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains($0.key) }
    do throws(Errno) {
      return try HelperProgram.run(
        program, arguments: [verb, "service", service], environment: kept, limit: .seconds(5))
    } catch {
      // As one that never answered.
      return HelperProgram.Result(output: [], status: nil)
    }
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
