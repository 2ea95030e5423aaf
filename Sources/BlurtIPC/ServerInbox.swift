internal import BlurtContract
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// What other threads hand to the server's thread: answers, events, the order to stop. One queue, so their order stays.
final class ServerInbox: Sendable {
  enum Item: Sendable {
    case ack(connection: UInt64, CommandAck)
    case event(SessionEvent)
    case stop
  }

  private struct State {
    var items: [Item] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  /// The thread that takes; it needs no waking by its own posts, since it asks before it waits.
  private let taker = Atomic<UInt>(0)
  /// Whether a client asked for levels. Written by the server's thread, read by any.
  let levelsAreWatched = Atomic<Bool>(false)

  init() throws(Errno) { wakeup = try Wakeup() }

  /// Readable when something was posted by another thread.
  var descriptor: Int32 { wakeup.descriptor }

  /// Any thread. A level replaces one that lies at the end of the queue; the rest is phases, answers and notices, which
  /// are few and must all arrive.
  func post(_ item: Item) {
    let mustWake = state.withLock { state in
      if state.isClosed { return false }
      let wasEmpty = state.items.isEmpty
      if case .event(.level) = item, case .event(.level)? = state.items.last { state.items.removeLast() }
      state.items.append(item)
      if case .stop = item { state.isClosed = true }
      return wasEmpty
    }
    if mustWake && !isTaker { wakeup.signal() }
  }

  /// Names the calling thread as the one that takes.
  func becomeTaker() { taker.store(UInt(pthread_self()), ordering: .relaxed) }

  /// Whether the calling thread is the one that takes.
  var isTaker: Bool { taker.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Everything posted so far. Only the taker's thread.
  func take() -> [Item] {
    state.withLock { state in
      if state.items.isEmpty { return [] }
      defer { state.items = [] }
      return state.items
    }
  }

  /// Something was posted that was not taken yet. Only the taker's thread: of its own posts nothing else tells.
  var isWaiting: Bool { state.withLock { !$0.items.isEmpty } }

  /// After the descriptor was readable. Only the taker's thread.
  func clearWakeup() { wakeup.clear() }
}
