package import BlurtContract
package import BlurtIPC

/// `presence`: the client is on the user's screen, or no longer is (S-131).
package struct PresenceCommand: CommandService {
  private let board: PresenceBoard

  package init(_ board: PresenceBoard) { self.board = board }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .presence(let onScreen) = command.action else {
      return reply(command.ack(.failed, reason: .badRequest, message: FailureReason.badRequest.text))
    }
    if board.set(onScreen: onScreen, by: client) { return reply(command.ack(.done)) }
    reply(command.ack(.notOwner, message: "Another client is on screen: close it, or try again when it has gone."))
  }
}
