internal import BlurtContract
internal import Synchronization

/// The way back for one command's answer: the first one counts, from whatever thread it comes.
///
/// An answer that the handler gives on the server's thread goes out there and then; one that another thread gives while
/// the handler still runs is picked up afterwards; a later one goes through the inbox.
final class ReplyOnce: Sendable {
  private enum State {
    case handling(answerAtOnce: @Sendable (CommandAck) -> Void)
    case answered(CommandAck)
    case posting
    case done
  }

  /// What an answer leads to, outside the lock.
  private enum Step {
    case nothing
    case answer(@Sendable (CommandAck) -> Void)
    case post
  }

  private let inbox: ServerInbox
  private let connection: UInt64
  private let id: String
  private let state: Mutex<State>

  /// `answerAtOnce` is called on the server's thread, at most once, and let go when the handler has returned.
  init(
    inbox: ServerInbox, connection: UInt64, id: String, answerAtOnce: @escaping @Sendable (CommandAck) -> Void
  ) {
    state = Mutex(.handling(answerAtOnce: answerAtOnce))
    self.inbox = inbox
    self.connection = connection
    self.id = id
  }

  /// Any thread.
  func send(_ ack: CommandAck) {
    let ack = ack.id == id ? ack : ack.with(id: id)
    switch state.withLock({ take(ack, &$0) }) {
    case .nothing: break
    case .answer(let answerAtOnce): answerAtOnce(ack)
    case .post: inbox.post(.ack(connection: connection, ack))
    }
  }

  private func take(_ ack: CommandAck, _ state: inout State) -> Step {
    switch state {
    case .handling(let answerAtOnce):
      guard inbox.isTaker else {
        state = .answered(ack)
        return .nothing
      }
      state = .done
      return .answer(answerAtOnce)
    case .posting:
      state = .done
      return .post
    case .answered, .done: return .nothing
    }
  }

  /// The answer, if it was given by now; later ones are posted. Only the server's thread, once, after the handler.
  func finishHandling() -> CommandAck? {
    state.withLock { state in
      switch state {
      case .answered(let ack):
        state = .done
        return ack
      case .handling:
        state = .posting
        return nil
      case .posting, .done: return nil
      }
    }
  }
}
