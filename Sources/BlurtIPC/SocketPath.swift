package import BlurtContract
internal import BlurtOS
internal import Glibc

/// Why there is no path for the socket.
package enum SocketPathError: Error, Hashable, Sendable, CustomStringConvertible {
  /// XDG_RUNTIME_DIR is unset or empty and no path was given.
  case noRuntimeFolder
  /// XDG_RUNTIME_DIR is a relative path, which its specification tells us to ignore.
  case relativeRuntimeFolder(String)
  /// More bytes than a socket's address holds.
  case tooLong(String)
  /// BLURT_IDENTITY names no identity.
  case identity(ProductIdentity.InvalidName)

  package var description: String {
    switch self {
    case .noRuntimeFolder:
      "XDG_RUNTIME_DIR is not set: log in through a session that sets it, or name a socket with --socket or BLURT_SOCKET."
    case .relativeRuntimeFolder(let folder):
      "XDG_RUNTIME_DIR is \"\(folder)\", which is not absolute: set it to the absolute path of your runtime folder."
    case .tooLong(let path):
      "The socket path \"\(path)\" is longer than \(UnixSocket.longestPath) bytes: choose a shorter one."
    case .identity(let error): error.description
    }
  }
}

/// Where the socket is: the same rule in the daemon and in its clients.
package enum SocketPath {
  /// The first that is given of `--socket`, `BLURT_SOCKET` and `$XDG_RUNTIME_DIR/blurt/blurtd.sock`, where `blurt` is
  /// the identity's folder. Always absolute.
  ///
  /// In the daemon every error here is one of configuration: exit status 78.
  package static func resolve(
    option: String? = nil, environment: (String) -> String? = environmentVariable
  ) throws(SocketPathError) -> String {
    let identity: ProductIdentity
    do throws(ProductIdentity.InvalidName) {
      identity = try ProductIdentity(environment: environment)
    } catch {
      throw .identity(error)
    }
    let path: String
    if let given = nonEmpty(option) ?? nonEmpty(environment("BLURT_SOCKET")) {
      path = absolute(given)
    } else {
      guard let folder = nonEmpty(environment("XDG_RUNTIME_DIR")) else { throw .noRuntimeFolder }
      guard folder.hasPrefix("/") else { throw .relativeRuntimeFolder(folder) }
      path = folder + (folder.hasSuffix("/") ? "" : "/") + identity.socketName
    }
    guard path.utf8.count <= UnixSocket.longestPath else { throw .tooLong(path) }
    return path
  }

  /// A path made absolute by the working folder.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    let base = String(cString: folder)
    return base == "/" ? "/" + path : base + "/" + path
  }

  /// The folder that a path lies in.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A variable of this process's environment (`getenv`).
  package static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
