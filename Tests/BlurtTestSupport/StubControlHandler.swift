package import BlurtContract
package import BlurtIPC
internal import Synchronization

/// A daemon behind the socket that answers as it is told, and remembers what it was asked.
package final class StubControlHandler: ControlHandler {
  package typealias Reply = @Sendable (CommandAck) -> Void
  /// Answers a command; may keep the reply for later.
  package typealias Answer = @Sendable (ClientCommand, @escaping Reply) -> Void

  private struct State {
    var commands: [ClientCommand] = []
    var clients: [ClientIdentity] = []
    var gone: [ClientIdentity] = []
    var leaseEnds: [ClientIdentity] = []
    var closed: [ClientIdentity] = []
    var onGone: (@Sendable (ClientIdentity) -> Void)?
  }

  private let state = Mutex(State())
  private let answer: Answer

  /// By default a press is `started` and everything else is `done`.
  package init(
    _ answer: @escaping Answer = { command, reply in
      if case .press = command.action {
        reply(command.ack(.started, dictation: 1))
      } else {
        reply(command.ack(.done))
      }
    }
  ) {
    self.answer = answer
  }

  package var commands: [ClientCommand] { state.withLock { $0.commands } }
  package var clients: [ClientIdentity] { state.withLock { $0.clients } }
  package var gone: [ClientIdentity] { state.withLock { $0.gone } }
  package var closed: [ClientIdentity] { state.withLock { $0.closed } }

  /// The clients whose lease the server has ended.
  package var leaseEnds: [ClientIdentity] { state.withLock { $0.leaseEnds } }

  package func handle(_ command: ClientCommand, from client: ClientIdentity, reply: @escaping Reply) {
    state.withLock { state in
      state.commands.append(command)
      state.clients.append(client)
    }
    answer(command, reply)
  }

  package func leaseEnded(_ client: ClientIdentity) { state.withLock { $0.leaseEnds.append(client) } }

  /// Called on the server's thread for each client that has gone.
  package var onGone: (@Sendable (ClientIdentity) -> Void)? {
    get { state.withLock { $0.onGone } }
    set { state.withLock { $0.onGone = newValue } }
  }

  package func clientGone(_ client: ClientIdentity) {
    let onGone = state.withLock { state in
      state.gone.append(client)
      return state.onGone
    }
    onGone?(client)
  }
  package func connectionClosed(_ client: ClientIdentity) { state.withLock { $0.closed.append(client) } }
}
