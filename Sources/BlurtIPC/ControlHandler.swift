package import BlurtContract

/// What the daemon does with the commands that the server reads.
package protocol ControlHandler: AnyObject, Sendable {
  /// Called on the server's thread, in order for each client; must not block.
  ///
  /// `reply` may be called from any thread, exactly once; later calls are ignored. The server itself answers `watch`,
  /// malformed commands, repeated ids and expired presses, so none of these comes here.
  func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void)

  /// Called on the server's thread: a client that holds a lease has died or was silent for longer than it promised, though
  /// its connection is still open (S-132). Its leased press is over; the client may come back with another one.
  func leaseEnded(_ client: ClientIdentity)

  /// Called on the server's thread, once for each client that sent a command: nothing more will come from it, its
  /// connection has ended or its sending side is closed (S-133).
  func clientGone(_ client: ClientIdentity)

  /// Called on the server's thread, after `clientGone`, once for each client that sent a command: its connection has
  /// closed, and nobody reads an answer there any more.
  func connectionClosed(_ client: ClientIdentity)
}

extension ControlHandler {
  package func connectionClosed(_ client: ClientIdentity) {}
}
