internal import AssemblyAI
package import BlurtContract
internal import BlurtEngine
package import BlurtIPC

/// `apiKey`, `setApiKey` and `clearApiKey`: what is stored of a key, and changes of it (P-77).
///
/// One at a time, in the order in which they came: the last `setApiKey` of a client is the one that counts.
package final class APIKeyCommand: CommandService {
  package typealias Reply = @Sendable (CommandAck) -> Void

  private struct Job: Sendable {
    let command: ClientCommand
    let reply: Reply
  }

  /// Unbounded: the server lets a client have `SessionContract.outstandingCommandCount` open commands.
  private let jobs: AsyncStream<Job>.Continuation

  package init(_ keys: APIKeys) {
    let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
    self.jobs = jobs
    Task.detached {
      for await job in stream { job.reply(await Self.answer(job.command, keys)) }
    }
  }

  deinit { jobs.finish() }

  package func handle(_ command: ClientCommand, from client: ClientIdentity, reply: @escaping Reply) {
    jobs.yield(Job(command: command, reply: reply))
  }

  private static func answer(_ command: ClientCommand, _ keys: APIKeys) async -> CommandAck {
    switch command.action {
    case .apiKey(let engine, let check): await show(command, keys, engine, check: check)
    case .setApiKey(let key, let engine): await set(command, keys, engine, key)
    case .clearApiKey(let engine): await clear(command, keys, engine)
    default: command.ack(.failed, reason: .badRequest)
    }
  }

  private static func show(
    _ command: ClientCommand, _ keys: APIKeys, _ name: String?, check: Bool
  ) async -> CommandAck {
    guard let (engine, source, _) = find(name, keys) else { return unknown(command) }
    let reading = await source.asking(again: check)
    var ack = command.ack(.done, message: message(reading, source))
    var status = status(engine, source)
    if check, case .unavailable(let reason) = reading {
      ack = command.ack(.failed, reason: .keyUnreachable, message: reason)
    } else if check, let key = reading.key {
      switch await keys.check(engine, key) {
      case .valid: status.verdict = "valid"
      case .invalid:
        status.verdict = "invalid"
        ack = command.ack(.failed, reason: .keyInvalid, message: "The service does not accept the stored key.")
      case .unreachable:
        status.verdict = "unreachable"
        ack = command.ack(
          .failed, reason: .keyUnreachable, message: "The service could not be reached, so the key was not checked.")
      }
    }
    ack.apiKey = status
    return ack
  }

  private static func set(
    _ command: ClientCommand, _ keys: APIKeys, _ name: String?, _ key: WireSecret
  ) async -> CommandAck {
    guard let (engine, source, model) = find(name, keys) else { return unknown(command) }
    let outcome = await model.submit(key.revealed)
    var ack = command.ack(.done)
    switch outcome {
    case .valid: break
    case .invalid: ack = command.ack(.failed, reason: .keyInvalid)
    case .unreachable: ack = command.ack(.failed, reason: .keyUnreachable)
    case .saveFailed: ack = command.ack(.failed, reason: .keyNotSaved)
    }
    switch outcome.report {
    case nil: break
    case .inline(let message)?: ack.message = message
    case .alert(let title, let message)?: ack.message = "\(title). \(message)"
    }
    ack.apiKey = status(engine, source)
    return ack
  }

  private static func clear(_ command: ClientCommand, _ keys: APIKeys, _ name: String?) async -> CommandAck {
    guard let (engine, source, model) = find(name, keys) else { return unknown(command) }
    let fault = await model.save(nil)
    var ack = fault.map { command.ack(.failed, reason: .keyNotSaved, message: $0.message) } ?? command.ack(.done)
    ack.apiKey = status(engine, source)
    return ack
  }

  /// The engine of that name, `assemblyai` without one; nil where it is unknown or takes no key.
  private static func find(
    _ name: String?, _ keys: APIKeys
  ) -> (engine: EngineKind, source: APIKeySource, model: APIKeyModel)? {
    guard let engine = name.map({ EngineKind(rawValue: $0) }) ?? .assemblyai, let source = keys.source(engine),
      let model = keys.model(engine)
    else { return nil }
    return (engine, source, model)
  }

  private static func unknown(_ command: ClientCommand) -> CommandAck {
    command.ack(
      .failed, reason: .unknownEngine, message: "There is no such engine that takes a key: assemblyai and openai do.")
  }

  private static func status(_ engine: EngineKind, _ source: APIKeySource) -> APIKeyStatus {
    let display = APIKeyDisplay(key: source.current)
    return APIKeyStatus(
      engine: engine.rawValue, connected: display.isConnected, display: display.text,
      source: source.origin?.rawValue)
  }

  /// Why there may be a key that is not seen.
  private static func message(_ reading: APIKeyReading, _ source: APIKeySource) -> String? {
    if case .unavailable(let reason) = reading { return reason }
    return reading == .absent ? source.problem?.description : nil
  }
}
