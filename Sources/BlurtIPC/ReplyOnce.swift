internal import BlurtContract
internal import Synchronization

/// The way back for one command's answer: the first one counts, from whatever thread it comes.
final class ReplyOnce: Sendable {
  private let inbox: ServerInbox
  private let connection: UInt64
  private let isUsed = Atomic(false)

  init(inbox: ServerInbox, connection: UInt64) {
    self.inbox = inbox
    self.connection = connection
  }

  func send(_ ack: CommandAck, for id: String) {
    guard !isUsed.exchange(true, ordering: .relaxed) else { return }
    inbox.post(.ack(connection: connection, ack.id == id ? ack : ack.with(id: id)))
  }
}
