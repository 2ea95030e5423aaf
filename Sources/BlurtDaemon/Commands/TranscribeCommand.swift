package import BlurtContract
package import BlurtEngine
package import BlurtIPC

/// `transcribe`: the text of a file. The answer takes as long as the engine.
package struct TranscribeCommand: CommandService {
  private let transcribe: @Sendable (String) async throws(FileTranscription.Failure) -> Transcript

  package init(_ transcribe: @escaping @Sendable (String) async throws(FileTranscription.Failure) -> Transcript) {
    self.transcribe = transcribe
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .transcribe(let path) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    Task.detached { [transcribe] in
      do throws(FileTranscription.Failure) {
        let transcript = try await transcribe(path)
        reply(command.ack(.done, text: transcript.text, engine: transcript.engine.rawValue))
      } catch {
        switch error {
        case .file(let message): reply(command.ack(.failed, reason: .badFile, message: message))
        case .engine(let error):
          reply(
            command.ack(
              .failed, reason: EventTranslation.reason(error), message: error.description,
              errorKind: error.diagnosticName))
        }
      }
    }
  }
}
