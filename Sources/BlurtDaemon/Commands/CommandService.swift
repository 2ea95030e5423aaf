package import BlurtContract
package import BlurtIPC

/// Carries out the commands of one kind that are none of the session's.
package protocol CommandService: Sendable {
  /// Called on the server's thread, in order for each client; must not block. `reply` is called exactly once, from any
  /// thread, now or later.
  func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void)
}
