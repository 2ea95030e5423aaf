package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The key of one engine: the first of a systemd credential, the environment, the keyring and a private file that has one
/// (P-69, P-76).
///
/// The first two are read once, at start. The keyring is asked on a thread of its own and its definite answers are
/// remembered (T-109); the file is looked at anew each time. No press ever waits for any of it. The key itself never
/// leaves through a log, an error, an argument or a child's environment (T-111).
package final class APIKeySource: APIKeyGateway {
  /// Where the key that is used comes from.
  package enum Origin: String, Sendable, Hashable {
    case credential, environment, secretService, file
  }

  package let names: APIKeyNames
  private let fixed: String?
  private let fixedOrigin: Origin
  private let secretService: SecretService
  private let remembered: MemoizedAPIKeyStore
  private let file: APIKeyFile
  /// Everything that asks the keyring or writes, in the order in which it was asked for.
  private let worker = SerialWorker(name: "blurt-secrets")
  private let lastProblem = Mutex<APIKeyFile.Problem?>(nil)

  /// Reads the credential and the environment now, and takes the key out of the environment.
  package init(environment: [String: String], folder: String, names: APIKeyNames = .assemblyai()) {
    self.names = names
    var fixed: String?
    var origin = Origin.credential
    if let credentials = environment["CREDENTIALS_DIRECTORY"], !credentials.isEmpty {
      fixed = Self.readTrimmed(credentials + "/" + names.credential)
    }
    if fixed == nil {
      fixed = environment[names.variable]?.trimmedNonEmpty
      origin = .environment
    }
    // The variable and its bytes: any process of this user may read what this one was started with.
    if let bytes = getenv(names.variable) { memset(bytes, 0, strlen(bytes)) }
    unsetenv(names.variable)
    self.fixed = fixed
    fixedOrigin = origin
    file = APIKeyFile(path: folder + "/" + names.file)
    secretService = SecretService(service: names.service, environment: environment)
    remembered = MemoizedAPIKeyStore(secretService)
    // Where there is no keyring there is nothing to wait for.
    if !secretService.isThere { _ = remembered.read() }
  }

  /// The file that decides whether there is a key; nil while another source has it, or may have it.
  package var decidingFile: String? { fixed == nil && remembered.known == .absent ? file.path : nil }

  /// Whether what is known can change by itself: the keyring is locked or has not answered.
  package var isOpen: Bool { fixed == nil && !remembered.known.isDefinite }

  package var known: APIKeyReading {
    if let fixed { return .found(fixed) }
    let stored = remembered.known
    if stored.key != nil { return stored }
    if let key = fileKey() { return .found(key) }
    return stored
  }

  /// Where the key that is known now comes from.
  package var origin: Origin? {
    if fixed != nil { return fixedOrigin }
    if remembered.known.key != nil { return .secretService }
    return fileKey() == nil ? nil : .file
  }

  /// Why the key file is not used, if it is there and is not.
  package var problem: APIKeyFile.Problem? { lastProblem.withLock { $0 } }

  // MARK: Asking

  package func read() -> APIKeyReading {
    if fixed == nil { _ = remembered.read() }
    return known
  }

  /// Asks the keyring behind the caller's back, unless its answer is known already or is being waited for (T-109).
  package func askIfOpen() {
    guard isOpen else { return }
    worker.submit(unlessWaiting: 1) { [self] in _ = read() }
  }

  /// The key that is known, else what the keyring says. `again`: asks it whatever is known.
  package func asking(again: Bool = false) async -> APIKeyReading {
    if !again, !isOpen || known.key != nil { return known }
    return await withCheckedContinuation { continuation in
      worker.submit { [self] in
        _ = fixed != nil ? known : again ? remembered.readAgain() : remembered.read()
        continuation.resume(returning: known)
      }
    }
  }

  /// The key that is known, else what the question of the press brings. Asks by itself only where nobody has asked yet,
  /// and waits for nothing where the keyring was silent the last time: a recording is ready to be sent.
  package func answered() async -> APIKeyReading {
    if !isOpen || known.key != nil || remembered.known == SecretService.silent { return known }
    return await withCheckedContinuation { continuation in
      // Behind the question of the press, if that is under way.
      worker.submit { [self] in
        if remembered.known == .unavailable(MemoizedAPIKeyStore.notAskedYet) { _ = read() }
        continuation.resume(returning: known)
      }
    }
  }

  // MARK: Saving

  /// Runs a save on the thread of the keyring.
  package func offPool(_ body: @escaping @Sendable () -> APIKeyStoreFault?) async -> APIKeyStoreFault? {
    await withCheckedContinuation { continuation in
      worker.submit { continuation.resume(returning: body()) }
    }
  }

  package func save(_ key: String?) throws(APIKeyStoreFault) {
    guard let key = key?.trimmedNonEmpty else {
      let left = removeStored()
      if !left.isEmpty { throw APIKeyStoreFault(left.joined(separator: " ")) }
      return
    }
    // What would not be used is not stored either.
    if let remedy = fixedRemedy { throw APIKeyStoreFault(remedy) }
    if secretService.isUnlocked {
      try remembered.save(key)
      // One place: an older key in the file would come back with the keyring locked.
      try? file.write(nil)
    } else {
      if case .unavailable(let reason) = remembered.readAgain() {
        throw APIKeyStoreFault("\(reason) Its key would win over one in a file.")
      }
      if remembered.known.key != nil {
        throw APIKeyStoreFault(
          "The keyring has a key and cannot be written now: secret-tool clear service \(names.service)")
      }
      try file.write(key)
    }
    guard known.key == key else {
      throw APIKeyStoreFault("The key was written and could not be read back.")
    }
  }

  /// Removes the key wherever it is stored, and forgets it (P-62). Returns a sentence for each place that has one still.
  ///
  /// Blocks for up to fifteen seconds: on a worker thread only. What the daemon was started with is not stored by it: it
  /// stays in use and is named.
  package func removeStored() -> [String] {
    var survivors: [String] = []
    lastProblem.withLock { $0 = nil }
    do throws(APIKeyStoreFault) { try file.write(nil) } catch { survivors.append(error.message) }
    if secretService.isThere {
      do throws(APIKeyStoreFault) {
        try remembered.save(nil)
      } catch {
        survivors.append(
          "The Secret Service did not remove the key: secret-tool clear service \(names.service)")
      }
    }
    if let fixedRemedy { survivors.append(fixedRemedy) }
    return survivors
  }

  /// What to do about a key that was given at start; nil where none was.
  private var fixedRemedy: String? {
    guard fixed != nil else { return nil }
    return fixedOrigin == .credential
      ? "The key is a systemd credential: take LoadCredential= or SetCredential= out of the unit's drop-in "
        + "(systemctl --user edit blurtd) and restart it."
      : "blurtd was started with \(names.variable): unset it where it is set (systemctl --user unset-environment "
        + "\(names.variable), a drop-in, a profile) and restart blurtd."
  }

  /// The file as it is now, so that saving one is enough (S-50).
  private func fileKey() -> String? {
    do throws(APIKeyFile.Problem) {
      let key = try file.key()
      lastProblem.withLock { $0 = nil }
      return key
    } catch {
      let isNew = lastProblem.withLock { last in
        defer { last = error }
        return last != error
      }
      if isNew { Log.warning("the key file is not used", ["error": error.description]) }
      return nil
    }
  }

  private static func readTrimmed(_ path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self).trimmedNonEmpty
  }
}
