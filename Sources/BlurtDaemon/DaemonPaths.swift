package import BlurtContract
package import BlurtOS
internal import Glibc

/// Where the daemon keeps things, worked out once at start from its environment.
package struct DaemonPaths: Sendable, Hashable {
  /// Whose places these are: `blurt` in the paths below is its folder's name.
  package let identity: ProductIdentity
  /// `$XDG_RUNTIME_DIR/blurt`, mode 0700.
  package let runtimeFolder: String
  /// Held by the one daemon that uses the folder.
  package var folderLock: String { runtimeFolder + "/folder.lock" }
  /// The control socket.
  package let socket: String
  /// Kept recordings: memory, not disk.
  package let spool: String
  /// Copies of the user's own files while they are transcribed. Apart from the spool, whose bounds count each file: no
  /// kept recording may give way to a copy.
  package var copies: String { runtimeFolder + "/copies" }
  /// `$BLURT_CONFIG_DIR`, else `$XDG_CONFIG_HOME/blurt`.
  package let configFolder: String
  /// The developer logs (S-106): `$XDG_STATE_HOME/blurt`, else `~/.local/state/blurt`. Nil where neither is to be had.
  package let logFolder: String?

  /// Says that stored trigger keys of earlier versions were looked at (H-54). Not among the settings: a reset must not
  /// forget it (P-26). Nil where there is no place for it.
  package var triggerKeyMarker: String? { logFolder.map { $0 + "/trigger-keys-migrated" } }

  package var settingsFile: String { configFolder + "/settings.json" }
  package var keyFile: String { configFolder + "/api-key" }
  /// What the daemon writes down for readers that do not ask it (S-120).
  package var readinessRecord: String { runtimeFolder + "/readiness.json" }

  /// What keeps the daemon from starting. Its exit status is 78 (`EX_CONFIG`), so that a service manager does not try again.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case runtimeFolderUnset
    case runtimeFolderNotAbsolute(String)
    case runtimeFolderUnusable(path: String, reason: String)
    case homeUnset
    case identity(ProductIdentity.InvalidName)

    package var description: String {
      switch self {
      case .runtimeFolderUnset:
        "XDG_RUNTIME_DIR is not set. Start blurtd from a login session or as a systemd user service."
      case .runtimeFolderNotAbsolute(let path):
        "XDG_RUNTIME_DIR is \"\(path)\", which is not an absolute path. Log in again, or set it to /run/user/UID."
      case .runtimeFolderUnusable(let path, let reason):
        "\(path) cannot be used (\(reason)). XDG_RUNTIME_DIR must be a folder that you own and may write to."
      case .homeUnset:
        "Neither HOME nor XDG_CONFIG_HOME is set, so there is no place for settings. Set HOME."
      case .identity(let error): error.description
      }
    }
  }

  /// Creates the runtime folder where it is missing. Throws what makes a start impossible.
  package init(environment: [String: String], socketOverride: String? = nil) throws(Problem) {
    do throws(ProductIdentity.InvalidName) {
      identity = try ProductIdentity { environment[$0] }
    } catch {
      throw .identity(error)
    }
    let name = identity.folderName
    guard let runtime = environment["XDG_RUNTIME_DIR"], !runtime.isEmpty else { throw .runtimeFolderUnset }
    guard runtime.hasPrefix("/") else { throw .runtimeFolderNotAbsolute(runtime) }
    runtimeFolder = runtime + "/" + name
    spool = runtimeFolder + "/spool"
    socket = socketOverride ?? environment["BLURT_SOCKET"].flatMap(Self.nonEmpty) ?? runtimeFolder + "/blurtd.sock"
    if let folder = environment["BLURT_CONFIG_DIR"].flatMap(Self.nonEmpty) {
      configFolder = folder
    } else if let folder = environment["XDG_CONFIG_HOME"].flatMap(Self.nonEmpty), folder.hasPrefix("/") {
      configFolder = folder + "/" + name
    } else if let home = environment["HOME"].flatMap(Self.nonEmpty) {
      configFolder = home + "/.config/" + name
    } else {
      throw .homeUnset
    }
    if let folder = environment["XDG_STATE_HOME"].flatMap(Self.nonEmpty), folder.hasPrefix("/") {
      logFolder = folder + "/" + name
    } else {
      logFolder = environment["HOME"].flatMap(Self.nonEmpty).map { $0 + "/.local/state/" + name }
    }
    do {
      try Self.makePrivateFolder(runtimeFolder)
    } catch {
      throw .runtimeFolderUnusable(path: runtimeFolder, reason: error.reason)
    }
  }

  /// Makes a folder of mode 0700, or accepts one that is there, writable and ours.
  package static func makePrivateFolder(_ path: String) throws(Errno) {
    if mkdir(path, 0o700) == 0 { return }
    let code = errno
    guard code == EEXIST else { throw Errno(code, call: "mkdir \(path)") }
    var status = stat()
    try Syscall.run("stat \(path)") { stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Errno(ENOTDIR, call: path) }
    guard status.st_uid == getuid() else { throw Errno(EPERM, call: path) }
    if status.st_mode & 0o077 != 0 { try Syscall.run("chmod \(path)") { chmod(path, 0o700) } }
    try Syscall.run("access \(path)") { access(path, R_OK | W_OK | X_OK) }
  }

  private static func nonEmpty(_ value: String) -> String? { value.isEmpty ? nil : value }
}
