package import BlurtContract
package import BlurtIPC

/// `status`: how the daemon is.
package struct StatusCommand: CommandService {
  private let report: @Sendable () -> DaemonStatus

  /// `report` is called on the server's thread and must not block.
  package init(_ report: @escaping @Sendable () -> DaemonStatus) { self.report = report }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    reply(command.ack(.done, status: report()))
  }
}
