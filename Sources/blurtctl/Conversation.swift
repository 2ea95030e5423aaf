internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// One connection to the daemon with the handshake of S-109: whoever does not answer within 1.2 s is not there.
final class Conversation {
  private let client: ControlClient
  private var commandCount = 0

  init(path: String) throws(VerbError) {
    do throws(ControlClientError) {
      client = try ControlClient(path: path)
    } catch {
      throw .client(error)
    }
  }

  /// The next command, with an id of its own and, for a press, the time after which the daemon must refuse it.
  func command(_ action: ClientCommand.Action) -> ClientCommand {
    commandCount += 1
    let limit = SessionContract.pressHandshakeTimeout - SessionContract.pressDeadlineMargin
    let deadline: Duration? =
      switch action.name {
      case .press, .toggle: MonotonicClock.sinceBoot() + limit
      case .release, .cancel, .cancelRecording, .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool,
        .retry, .discard, .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound,
        .apiKey, .setApiKey, .clearApiKey, .doctor:
        nil
      }
    return ClientCommand(id: "\(getpid())-\(commandCount)", action, client: "blurtctl", deadline: deadline)
  }

  /// Asks and waits within the handshake.
  func ask(
    _ action: ClientCommand.Action, onEvent: (SessionEvent) -> Void = { _ in }
  ) throws(VerbError) -> ControlClient.Answer {
    try ask(action, until: MonotonicClock.now() + SessionContract.pressHandshakeTimeout, onEvent)
  }

  /// Asks and waits that long.
  func ask(_ action: ClientCommand.Action, within limit: Duration) throws(VerbError) -> ControlClient.Answer {
    try ask(action, until: MonotonicClock.now() + limit) { _ in }
  }

  /// Asks and waits as long as it takes.
  func askPatiently(_ action: ClientCommand.Action) throws(VerbError) -> ControlClient.Answer {
    try ask(action, until: nil) { _ in }
  }

  /// Asks, within the handshake, for what can only be answered with `started` or `done`.
  func answer(_ action: ClientCommand.Action) throws(VerbError) -> ControlClient.Answer {
    try Self.accepted(ask(action), action)
  }

  /// The same, as long as it takes.
  func answerPatiently(_ action: ClientCommand.Action) throws(VerbError) -> ControlClient.Answer {
    try Self.accepted(askPatiently(action), action)
  }

  /// Sends a command whose answer comes through `wait`.
  func send(_ command: ClientCommand) throws(VerbError) {
    do throws(ControlClientError) {
      try client.send(command)
    } catch {
      throw .client(error)
    }
  }

  /// Waits for a line of the daemon, for one of the descriptors, for the end of who reads `reader`, or for the deadline on
  /// the monotonic clock.
  func wait(
    until deadline: Duration? = nil, or others: [Int32] = [], reader: Int32? = nil
  ) throws(VerbError) -> ControlClient.Occurrence {
    do throws(ControlClientError) {
      return try client.wait(until: deadline, or: others, reader: reader)
    } catch {
      throw .client(error)
    }
  }

  private func ask(
    _ action: ClientCommand.Action, until end: Duration?, _ onEvent: (SessionEvent) -> Void
  ) throws(VerbError) -> ControlClient.Answer {
    do throws(ControlClientError) {
      return try client.ask(command(action), until: end, onEvent: onEvent)
    } catch {
      throw .client(error)
    }
  }

  private static func accepted(
    _ answer: ControlClient.Answer, _ action: ClientCommand.Action
  ) throws(VerbError) -> ControlClient.Answer {
    switch answer.ack.result {
    case .started, .done: return answer
    case .busy, .notListening, .ignored, .notOwner, .failed: throw .refused(answer.ack, line: answer.line, action)
    }
  }
}
