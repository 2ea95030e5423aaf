internal import Synchronization

/// Hands meter values to whoever listens (C-30…C-32).
///
/// Each listener has a stream of its own that keeps only the newest unread value and never repeats one. With no
/// listener nothing is computed.
final class LevelFeed: Sendable {
  private struct Listener {
    let continuation: AsyncStream<Float>.Continuation
    var last: Float?
  }

  private struct State {
    var nextID = 0
    var listeners: [Int: Listener] = [:]
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)

  private let isWanted: @Sendable () -> Bool

  /// - Parameter isWanted: Whether the listeners have anybody to tell; asked at each value.
  init(isWanted: @escaping @Sendable () -> Bool = { true }) { self.isWanted = isWanted }

  /// C-32: whether a value would reach anyone.
  var isHeard: Bool { count.load(ordering: .relaxed) > 0 && isWanted() }

  /// A new stream, fed from now on. It ends when its consumer lets go of it.
  func listen() -> AsyncStream<Float> {
    let (stream, continuation) = AsyncStream.makeStream(of: Float.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextID += 1
      state.listeners[state.nextID] = Listener(continuation: continuation)
      count.store(state.listeners.count, ordering: .relaxed)
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  func publish(_ value: Float) {
    guard isHeard else { return }
    let due = state.withLock { state in
      var due: [AsyncStream<Float>.Continuation] = []
      for (id, listener) in state.listeners where listener.last != value {
        state.listeners[id]?.last = value
        due.append(listener.continuation)
      }
      return due
    }
    for continuation in due { continuation.yield(value) }
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      state.listeners[id] = nil
      count.store(state.listeners.count, ordering: .relaxed)
    }
  }
}
