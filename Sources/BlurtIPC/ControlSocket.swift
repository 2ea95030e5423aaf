/// Where the daemon listens.
package enum ControlSocket: Hashable, Sendable {
  /// The server makes the socket file, and removes it when it stops.
  case path(String)
  /// A listening socket that a service manager handed over (`LISTEN_FDS`). The server takes the descriptor; its file stays.
  case activated(Int32)
}
