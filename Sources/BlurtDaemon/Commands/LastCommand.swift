package import BlurtContract
package import BlurtIPC

/// `last`: the newest text, whatever became of its paste.
package struct LastCommand: CommandService {
  private let last: LastText

  package init(_ last: LastText) { self.last = last }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard let entry = last.current else {
      return reply(command.ack(.ignored, message: "Nothing has been dictated since blurtd was started."))
    }
    var ack = command.ack(.done, dictation: entry.dictation, text: entry.text, engine: entry.engine)
    ack.recording = entry.recording
    reply(ack)
  }
}
