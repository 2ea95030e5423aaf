package import BlurtContract
package import BlurtIPC

/// Carries out the commands of one kind that are none of the session's.
package protocol CommandService: Sendable {
  /// Called on the server's thread, in order for each client; must not block. `reply` is called exactly once, from any
  /// thread, now or later.
  func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void)

  /// Called on the server's thread when the connection has closed: nobody reads an answer there any more.
  func connectionClosed(_ client: ClientIdentity)
}

extension CommandService {
  package func connectionClosed(_ client: ClientIdentity) {}
}
