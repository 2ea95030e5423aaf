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
    guard case .retry(let id, let name) = command.action else {
      return reply(command.ack(.failed, reason: .badRequest))
    }
    let engine = name.flatMap { EngineKind(rawValue: $0) }
    if name != nil, engine == nil {
      return reply(command.ack(.failed, reason: .unknownEngine, message: FailureReason.unknownEngine.text))
    }
    var ack: CommandAck
    switch retries.start(id, engine: engine) {
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
      ack.errorCause = error.cause?.rawValue
    }
    reply(ack)
  }
}
