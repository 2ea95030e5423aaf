package import BlurtOS

/// Why the server does not listen.
package enum ControlServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The socket's folder is missing, is no folder, or cannot be written to. Configuration: exit status 78.
  case folder(String, Errno)
  /// Another daemon holds the lock beside the socket.
  case alreadyRunning(path: String, processID: Int32?)
  /// A process that is no daemon of ours listens at the path, for instance the service manager for a socket unit.
  case alreadyListening(path: String)
  /// A file that is no socket lies at the path; it is not removed.
  case notASocket(path: String)
  /// Something else that the kernel refused.
  case system(Errno)

  /// The user must change something before another start can work (exit status 78).
  package var isConfiguration: Bool {
    switch self {
    case .folder, .notASocket: true
    case .alreadyRunning, .alreadyListening, .system: false
    }
  }

  package var description: String {
    switch self {
    case .folder(let folder, let error):
      "The socket's folder \(folder) cannot be used (\(error.reason)): make it writable for you, or name another "
        + "socket with --socket or BLURT_SOCKET."
    case .alreadyRunning(let path, let processID):
      "Another blurtd\(processID.map { " (process \($0))" } ?? "") serves \(path): stop it first, or name another "
        + "socket with --socket."
    case .alreadyListening(let path):
      "Something else listens on \(path), most likely blurtd.socket: start blurtd with \"systemctl --user start "
        + "blurtd\", or name another socket with --socket."
    case .notASocket(let path): "\(path) is not a socket: move it away, or name another socket with --socket."
    case .system(let error): "The control socket cannot be served: \(error)."
    }
  }
}
