package import BlurtContract
package import BlurtIPC

/// `spool`: the recordings that are kept, or in progress, newest first.
package struct SpoolCommand: CommandService {
  private let spool: RecordingSpool

  package init(_ spool: RecordingSpool) { self.spool = spool }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    var ack = command.ack(.done)
    ack.recordings = spool.list().map { EventTranslation.entry($0, path: spool.audioPath($0.id)) }
    reply(ack)
  }
}
