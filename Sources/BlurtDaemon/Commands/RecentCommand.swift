package import BlurtContract
package import BlurtEngine
package import BlurtIPC

/// `recent`: what was dictated lately, newest first (S-93). The words of recordings that were sent again are among it.
package struct RecentCommand: CommandService {
  private let recent: @Sendable () async -> [RecentDictation]

  package init(_ recent: @escaping @Sendable () async -> [RecentDictation]) { self.recent = recent }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .recent(let count) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    Task.detached { [recent] in
      var ack = command.ack(.done)
      ack.recent = await recent().prefix(count ?? RecentDictations.displayedCount).map(EventTranslation.entry)
      reply(ack)
    }
  }
}
