package import BlurtContract
internal import BlurtEngine
package import BlurtIPC
internal import BlurtOS

/// `settings`, `set`, `unset`, `edit`, `keys` and `setKey`: one service for all of them, so that a client's commands
/// keep their order.
///
/// The file is read and written on a thread that lives only while there is something to do.
package struct SettingsCommand: CommandService {
  private let answers: SettingsAnswers
  private let keys: KeyAnswers
  /// Unbounded: the server lets a client have `SessionContract.outstandingCommandCount` open commands.
  private let worker = SerialWorker(name: "blurt-set")

  /// `onListening` is called when a client has set `Listening` to true, also where it was true: whoever says so wants a
  /// window that has closed by itself to open.
  package init(
    _ file: SettingsFile, prefix: String = HostIdentity.current.defaultsPrefix,
    onListening: @escaping @Sendable () -> Void = {}
  ) {
    answers = SettingsAnswers(file: file, prefix: prefix, onListening: onListening)
    keys = KeyAnswers(file: file, prefix: prefix)
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    worker.submit { [answers, keys] in
      switch command.action.name {
      case .keys, .setKey: reply(keys.answer(command))
      default: reply(answers.answer(command))
      }
    }
  }
}
