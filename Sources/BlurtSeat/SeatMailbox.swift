internal import BlurtOS
internal import Synchronization

/// What the seat's thread and everybody else have in common: the report out, the few orders in.
final class SeatMailbox: Sendable {
  private struct State {
    var report = SeatReport()
    var handlers: [@Sendable () -> Void] = []
    var isStopping = false
    /// The sleep up to which all that was to be done is done.
    var readyForSleep: UInt64 = 0
  }

  private let state = Mutex(State())
  let wakeup: Wakeup
  /// How often the seat's thread has slept.
  let turnCount = Atomic<UInt64>(0)

  init() throws(Errno) { wakeup = try Wakeup() }

  var report: SeatReport { state.withLock { $0.report } }
  var isStopping: Bool { state.withLock { $0.isStopping } }

  func add(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handlers.append(handler) } }

  /// Makes a report visible, then tells of it, in the order in which the handlers came; on the calling thread.
  func publish(_ report: SeatReport) {
    let handlers = state.withLock { state in
      defer { state.report = report }
      return state.report == report ? [] : state.handlers
    }
    for handler in handlers { handler() }
  }

  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.handlers = []
    }
    wakeup.signal()
  }

  /// What was to be done before that sleep is done.
  func isReady(forSleep number: UInt64) {
    state.withLock { $0.readyForSleep = max($0.readyForSleep, number) }
    wakeup.signal()
  }

  var readyForSleep: UInt64 { state.withLock { $0.readyForSleep } }
}
