internal import BlurtContract
internal import Synchronization

/// The way back for one command's answer: the first one counts, from whatever thread it comes.
///
/// An answer given while the handler still runs is picked up by the server's thread without a detour; a later one goes
/// through the inbox.
final class ReplyOnce: Sendable {
  private enum State {
    case handling
    case answered(CommandAck)
    case posting
    case done
  }

  private let inbox: ServerInbox
  private let connection: UInt64
  private let id: String
  private let state = Mutex(State.handling)

  init(inbox: ServerInbox, connection: UInt64, id: String) {
    self.inbox = inbox
    self.connection = connection
    self.id = id
  }

  /// Any thread.
  func send(_ ack: CommandAck) {
    let ack = ack.id == id ? ack : ack.with(id: id)
    let mustPost = state.withLock { state in
      switch state {
      case .handling:
        state = .answered(ack)
        return false
      case .posting:
        state = .done
        return true
      case .answered, .done: return false
      }
    }
    if mustPost { inbox.post(.ack(connection: connection, ack)) }
  }

  /// The answer, if it was given by now; later ones are posted. Only the server's thread, once, after the handler.
  func finishHandling() -> CommandAck? {
    state.withLock { state in
      if case .answered(let ack) = state {
        state = .done
        return ack
      }
      state = .posting
      return nil
    }
  }
}
