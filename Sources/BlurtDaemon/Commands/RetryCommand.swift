package import BlurtContract
internal import BlurtEngine
package import BlurtIPC

/// `retry`: sends a kept recording again. The answer says that it is on its way; `wait` brings the words.
package struct RetryCommand: CommandService {
  private let retries: RecordingRetries

  package init(_ retries: RecordingRetries) { self.retries = retries }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .retry(let id) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    var ack: CommandAck
    switch retries.start(id) {
    case .started(let id):
      ack = command.ack(.started)
      ack.recording = id
    case .underWay(let id):
      ack = command.ack(.busy, message: "That recording is being sent already.")
      ack.recording = id
    case .notEnded(let id):
      ack = command.ack(.busy, message: "That recording belongs to a dictation that has not ended.")
      ack.recording = id
    case .nothingKept: ack = command.ack(.ignored, message: "No recording is kept.")
    case .unknown:
      ack = command.ack(.failed, reason: .unknownRecording, message: FailureReason.unknownRecording.text)
    case .refused(let error):
      ack = command.ack(
        .notListening, reason: EventTranslation.reason(error), message: EventTranslation.sentence(refusal: error),
        errorKind: error.diagnosticName)
    }
    reply(ack)
  }
}
