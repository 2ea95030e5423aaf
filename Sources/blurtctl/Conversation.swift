internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// One connection to the daemon with the handshake of S-109: whoever does not answer within 1.2 s is not there.
final class Conversation {
  let client: ControlClient
  /// On the monotonic clock.
  private let handshakeEnd: Duration
  private var commandCount = 0

  init(path: String) throws(ControlClientError) {
    handshakeEnd = MonotonicClock.now() + SessionContract.pressHandshakeTimeout
    client = try ControlClient(path: path)
  }

  /// The next command, with an id of its own and, for a press, the time after which the daemon must refuse it.
  func command(_ action: ClientCommand.Action) -> ClientCommand {
    commandCount += 1
    let limit = SessionContract.pressHandshakeTimeout - SessionContract.pressDeadlineMargin
    let deadline: Duration? =
      switch action.name {
      case .press, .toggle: MonotonicClock.sinceBoot() + limit
      case .release, .cancel, .cancelRecording, .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool,
        .retry, .discard, .settings, .set, .unset, .reset, .doctor:
        nil
      }
    return ClientCommand(id: "\(getpid())-\(commandCount)", action, client: "blurtctl", deadline: deadline)
  }

  /// Asks and waits within the handshake, which starts again with `restarting`.
  func ask(
    _ action: ClientCommand.Action, restarting: Bool = false, onEvent: (SessionEvent) -> Void = { _ in }
  ) throws(ControlClientError) -> ControlClient.Answer {
    let end = restarting ? MonotonicClock.now() + SessionContract.pressHandshakeTimeout : handshakeEnd
    return try client.ask(command(action), until: end, onEvent: onEvent)
  }

  /// Asks and waits that long.
  func ask(
    _ action: ClientCommand.Action, within limit: Duration
  ) throws(ControlClientError) -> ControlClient.Answer {
    try client.ask(command(action), until: MonotonicClock.now() + limit)
  }

  /// Asks and waits as long as it takes.
  func askPatiently(_ action: ClientCommand.Action) throws(ControlClientError) -> ControlClient.Answer {
    try client.ask(command(action), until: nil)
  }
}
