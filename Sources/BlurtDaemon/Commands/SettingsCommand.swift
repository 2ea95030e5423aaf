package import BlurtContract
internal import BlurtEngine
package import BlurtIPC
internal import BlurtOS

/// `settings`, `set`, `unset` and `edit`: one service for the four, so that a client's commands keep their order.
///
/// The file is read and written on a thread that lives only while there is something to do.
package struct SettingsCommand: CommandService {
  private let answers: SettingsAnswers
  /// Unbounded: the server lets a client have `SessionContract.outstandingCommandCount` open commands.
  private let worker = SerialWorker(name: "blurt-set")

  /// `onListening` is called when a client has set `Listening` to true, also where it was true: whoever says so wants a
  /// window that has closed by itself to open.
  package init(
    _ file: SettingsFile, prefix: String = HostIdentity.current.defaultsPrefix,
    onListening: @escaping @Sendable () -> Void = {}
  ) {
    answers = SettingsAnswers(file: file, prefix: prefix, onListening: onListening)
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    worker.submit { [answers] in reply(answers.answer(command)) }
  }
}
