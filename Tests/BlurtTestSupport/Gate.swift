internal import Synchronization

/// Holds a call open until a test lets it go, so that a race happens on purpose.
///
/// The call under test does `await gate.pass()`; the test does `await gate.waitUntilReached()`, then `gate.open()`.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var reached = 0
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var released: Set<UInt64> = []
    var nextID: UInt64 = 0
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init(isOpen: Bool = false) { state.withLock { $0.isOpen = isOpen } }

  /// How often the gate was reached.
  public var reachedCount: Int { state.withLock { $0.reached } }

  /// Waits until the gate is open, whether or not the task is cancelled meanwhile.
  public func pass() async {
    await wait(cancellable: false)
  }

  /// Waits until the gate is open or the task is cancelled; then throws `CancellationError`.
  public func passOrCancel() async throws {
    await wait(cancellable: true)
    try Task.checkCancellation()
  }

  /// Lets everyone through, now and later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Closes the gate for those that come later.
  public func close() { state.withLock { $0.isOpen = false } }

  /// Returns once the gate was reached that many times.
  public func waitUntilReached(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        if state.reached >= count { return true }
        state.observers.append((count, continuation))
        return false
      }
      if now { continuation.resume() }
    }
  }

  private func wait(cancellable: Bool) async {
    let (id, observers) = state.withLock { state in
      state.reached += 1
      state.nextID += 1
      let ready = state.observers.filter { $0.count <= state.reached }
      state.observers.removeAll { $0.count <= state.reached }
      return (state.nextID, ready.map(\.continuation))
    }
    for observer in observers { observer.resume() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let through = state.withLock { state in
          if state.isOpen || state.released.remove(id) != nil { return true }
          state.waiting[id] = continuation
          return false
        }
        if through { continuation.resume() }
      }
    } onCancel: {
      guard cancellable else { return }
      let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if let waiting = state.waiting.removeValue(forKey: id) { return waiting }
        state.released.insert(id)
        return nil
      }
      continuation?.resume()
    }
  }
}
