internal import Synchronization

/// The calls that several fakes received, in one order, each with the phase in which it came.
public final class EventLog: Sendable {
  public struct Entry: Sendable, Hashable {
    public let event: String
    /// What `observe` said at that moment.
    public let note: String
  }

  private struct State {
    var entries: [Entry] = []
    var observe: @Sendable () -> String = { "" }
    var waiters: [(event: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Asked, outside the lock, at each entry.
  public func observe(_ observe: @escaping @Sendable () -> String) { state.withLock { $0.observe = observe } }

  public func append(_ event: String) {
    let observe = state.withLock { $0.observe }
    let note = observe()
    let ready = state.withLock { state in
      state.entries.append(Entry(event: event, note: note))
      let entries = state.entries
      func isDue(_ waiter: (event: String, count: Int, continuation: CheckedContinuation<Void, Never>)) -> Bool {
        entries.count(where: { $0.event == waiter.event }) >= waiter.count
      }
      let ready = state.waiters.filter(isDue).map(\.continuation)
      state.waiters.removeAll(where: isDue)
      return ready
    }
    for continuation in ready { continuation.resume() }
  }

  public var events: [String] { state.withLock { $0.entries.map(\.event) } }

  public func count(of event: String) -> Int { events.count(where: { $0 == event }) }

  /// What was observed each time that event came.
  public func notes(at event: String) -> [String] {
    state.withLock { $0.entries.filter { $0.event == event }.map(\.note) }
  }

  /// Returns once that event has come that often.
  public func wait(for event: String, count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.entries.count(where: { $0.event == event }) >= count { return true }
        state.waiters.append((event, count, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }
}
