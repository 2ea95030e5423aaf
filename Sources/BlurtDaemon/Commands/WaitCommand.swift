package import BlurtContract
package import BlurtIPC

/// `wait`: answers when a dictation, or a recording that is sent again, has ended.
package struct WaitCommand: CommandService {
  private let outcomes: OutcomeWaiters
  private let newest: @Sendable () -> UInt64?

  /// `newest` gives the number of the session's newest dictation; called on the server's thread.
  package init(_ outcomes: OutcomeWaiters, newest: @escaping @Sendable () -> UInt64?) {
    self.outcomes = outcomes
    self.newest = newest
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .wait(let target) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    outcomes.wait(for: target, newest: newest(), connection: client.connection) { answer in
      switch answer {
      case .outcome(let outcome):
        var ack = command.ack(.done)
        ack.outcome = outcome
        reply(ack)
      case .nothing: reply(command.ack(.ignored, message: Self.sentence(target)))
      }
    }
  }

  package func connectionClosed(_ client: ClientIdentity) { outcomes.connectionClosed(client.connection) }

  private static func sentence(_ target: WaitTarget) -> String {
    switch target {
    case .newest: "Nothing has been dictated since blurtd was started."
    case .dictation: "There is no dictation of that number to wait for, or it ended too long ago."
    case .recording: "That recording is not being sent: blurtctl retry sends it."
    }
  }
}
