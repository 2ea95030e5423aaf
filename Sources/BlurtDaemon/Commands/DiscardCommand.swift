package import BlurtContract
package import BlurtIPC

/// `discard`: removes a kept recording, or all of them; never one in progress.
package struct DiscardCommand: CommandService {
  private let spool: RecordingSpool

  package init(_ spool: RecordingSpool) { self.spool = spool }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .discard(let id) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    if let id { reply(discard(id, command)) } else { reply(discardAll(command)) }
  }

  private func discard(_ id: String, _ command: ClientCommand) -> CommandAck {
    var ack: CommandAck
    if spool.remove(id) {
      ack = command.ack(.done)
    } else if spool.record(id) != nil {
      ack = command.ack(.busy, message: "That recording is being captured or sent.")
    } else {
      return command.ack(.failed, reason: .unknownRecording, message: FailureReason.unknownRecording.text)
    }
    ack.recording = id
    return ack
  }

  private func discardAll(_ command: ClientCommand) -> CommandAck {
    let records = spool.list()
    let removed = records.count { spool.remove($0.id) }
    guard removed > 0 else { return command.ack(.ignored, message: "No recording is kept that could be removed.") }
    let message = removed == 1 ? "One recording was removed." : "\(removed) recordings were removed."
    return command.ack(.done, message: message)
  }
}
