internal import Synchronization

/// A clock that stands still until a test advances it.
///
/// Before advancing, wait until the sleeper you mean has parked: `await clock.waitForSleepers(1)`.
public final class TestClock: Clock, Sendable {
  public struct Instant: InstantProtocol {
    public var offset: Duration
    public init(offset: Duration) { self.offset = offset }
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let id: UInt64
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID: UInt64 = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var watchers: [(count: Int, deadline: Instant?, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .nanoseconds(1) }
  /// How many tasks sleep on this clock now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
  /// Their deadlines, as offsets from the clock's start, earliest first.
  public var deadlines: [Duration] { state.withLock { $0.sleepers.map(\.deadline.offset).sorted() } }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Outcome { case due, cancelled, parked }
        let (outcome, watchers) = state.withLock { state -> (Outcome, [CheckedContinuation<Void, Never>]) in
          if state.cancelled.remove(id) != nil { return (.cancelled, []) }
          if deadline <= state.now { return (.due, []) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return (.parked, Self.satisfiedWatchers(&state))
        }
        switch outcome {
        case .due: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .parked: for watcher in watchers { watcher.resume() }
        }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves time on and wakes every sleeper that is due.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Returns once at least that many tasks sleep on this clock.
  public func waitForSleepers(_ count: Int) async { await watch(count, nil) }

  /// Returns once a task sleeps until exactly that offset from the clock's start.
  public func waitForSleeper(until offset: Duration) async { await watch(1, Instant(offset: offset)) }

  private func watch(_ count: Int, _ deadline: Instant?) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.watchers.append((count, deadline, continuation))
        return Self.satisfiedWatchers(&state)
      }
      for watcher in ready { watcher.resume() }
    }
  }

  private static func satisfiedWatchers(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    let sleepers = state.sleepers
    func satisfied(_ count: Int, _ deadline: Instant?) -> Bool {
      sleepers.filter { deadline == nil || $0.deadline == deadline }.count >= count
    }
    let ready = state.watchers.filter { satisfied($0.count, $0.deadline) }
    state.watchers.removeAll { satisfied($0.count, $0.deadline) }
    return ready.map(\.continuation)
  }
}
