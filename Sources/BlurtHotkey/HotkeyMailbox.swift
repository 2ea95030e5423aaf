internal import BlurtEngine
internal import Synchronization

/// What the hotkey's thread and everybody else have in common: orders in, state out.
///
/// Any thread may call. Orders are carried out by the hotkey's thread in the order given, so that all events come from
/// one thread in one order.
final class HotkeyMailbox: Sendable {
  enum Order: Sendable {
    case reset(ifGestureIs: UInt64?)
    case rebind([TriggerKeyActivation])
    case resync
    case pause(HotkeyStatus.Pause?)
    case stop
  }

  private struct State {
    var orders: [Order] = []
    var status = HotkeyStatus()
    var modifiersAreHeld = false
    var triggerIsHeld = false
    var hasStopped = false
    var nextWaiter: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state = Mutex(State())
  private let orderCount = Atomic<Int>(0)
  /// How often the thread woke up, for tests and measurements.
  let wakeUps = Atomic<UInt64>(0)

  // MARK: Orders

  func post(_ order: Order) {
    state.withLock { $0.orders.append(order) }
    orderCount.add(1, ordering: .releasing)
  }

  /// Cheap enough to ask before every key event.
  var hasOrders: Bool { orderCount.load(ordering: .acquiring) > 0 }

  /// The next order; with `onlyReset`, only if it is a reset.
  func take(onlyReset: Bool = false) -> Order? {
    let order = state.withLock { state -> Order? in
      guard let first = state.orders.first else { return nil }
      if onlyReset, case .reset = first {} else if onlyReset { return nil }
      return state.orders.removeFirst()
    }
    if order != nil { orderCount.subtract(1, ordering: .relaxed) }
    return order
  }

  // MARK: State

  var status: HotkeyStatus { state.withLock { $0.status } }
  var modifiersAreHeld: Bool { state.withLock { $0.modifiersAreHeld } }
  var triggerIsHeld: Bool { state.withLock { $0.triggerIsHeld } }

  /// Returns whether anything in it is new.
  func setStatus(_ status: HotkeyStatus) -> Bool {
    state.withLock { state in
      defer { state.status = status }
      return state.status != status
    }
  }

  func setHeld(modifiers: Bool, trigger: Bool) {
    let released = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      state.modifiersAreHeld = modifiers
      state.triggerIsHeld = trigger
      return modifiers ? [] : Self.takeWaiters(&state)
    }
    for waiter in released { waiter.resume(returning: true) }
  }

  /// Lets everyone go; nothing is held as far as anybody can tell.
  func finish() {
    let waiters = state.withLock { state in
      state.hasStopped = true
      state.modifiersAreHeld = false
      state.triggerIsHeld = false
      return Self.takeWaiters(&state)
    }
    for waiter in waiters { waiter.resume(returning: false) }
  }

  /// Waits until no modifier is down; false when cancelled or when the hotkey stopped first.
  func waitUntilModifiersReleased() async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.hasStopped || Task.isCancelled { return false }
          if !state.modifiersAreHeld { return true }
          state.waiters[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
    }
  }

  private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Bool, Never>] {
    defer { state.waiters = [:] }
    return Array(state.waiters.values)
  }
}
