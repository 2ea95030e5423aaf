package import BlurtContract
package import BlurtEngine
package import BlurtIPC

/// `transcribe`: the text of a file. The answer takes as long as the engine.
///
/// One file at a time, in the order of the commands: each is held in memory whole, and there is one engine.
package final class TranscribeCommand: CommandService {
  package typealias Reply = @Sendable (CommandAck) -> Void

  private struct Job: Sendable {
    let path: String
    let engine: EngineKind?
    let command: ClientCommand
    let reply: Reply
  }

  /// Unbounded: the server lets a client have `SessionContract.outstandingCommandCount` open commands.
  private let jobs: AsyncStream<Job>.Continuation

  /// `transcribe` gets the path, and the engine if one was named.
  package init(
    _ transcribe: @escaping @Sendable (String, EngineKind?) async throws(FileTranscription.Failure) -> Transcript
  ) {
    let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
    self.jobs = jobs
    Task.detached {
      for await job in stream { job.reply(await Self.answer(job, transcribe)) }
    }
  }

  deinit { jobs.finish() }

  package func handle(_ command: ClientCommand, from client: ClientIdentity, reply: @escaping Reply) {
    guard case .transcribe(let path, let name) = command.action else {
      return reply(command.ack(.failed, reason: .badRequest))
    }
    let engine = name.flatMap { EngineKind(rawValue: $0) }
    if name != nil, engine == nil {
      return reply(command.ack(.failed, reason: .unknownEngine, message: FailureReason.unknownEngine.text))
    }
    jobs.yield(Job(path: path, engine: engine, command: command, reply: reply))
  }

  private static func answer(
    _ job: Job, _ transcribe: @Sendable (String, EngineKind?) async throws(FileTranscription.Failure) -> Transcript
  ) async -> CommandAck {
    do throws(FileTranscription.Failure) {
      let transcript = try await transcribe(job.path, job.engine)
      return job.command.ack(.done, text: transcript.text, engine: transcript.engine.rawValue)
    } catch {
      switch error {
      case .file(let message): return job.command.ack(.failed, reason: .badFile, message: message)
      case .engine(let error):
        var ack = job.command.ack(
          .failed, reason: EventTranslation.reason(error), message: error.description,
          errorKind: error.diagnosticName)
        ack.errorCause = error.cause?.rawValue
        return ack
      }
    }
  }
}
