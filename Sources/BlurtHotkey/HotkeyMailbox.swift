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
    var hasStopped = false
    var nextWaiter: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state = Mutex(State())
  private let orderCount = Atomic<Int>(0)
  private let heldModifiers = Atomic<Bool>(false)
  private let heldTrigger = Atomic<Bool>(false)
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
  var modifiersAreHeld: Bool { heldModifiers.load(ordering: .sequentiallyConsistent) }
  var triggerIsHeld: Bool { heldTrigger.load(ordering: .sequentiallyConsistent) }

  /// Returns whether anything in it is new.
  func setStatus(_ status: HotkeyStatus) -> Bool {
    state.withLock { state in
      defer { state.status = status }
      return state.status != status
    }
  }

  /// Called after every wake-up; takes the lock only when the last modifier was let go.
  func setHeld(modifiers: Bool, trigger: Bool) {
    heldTrigger.store(trigger, ordering: .sequentiallyConsistent)
    let wereHeld = heldModifiers.exchange(modifiers, ordering: .sequentiallyConsistent)
    guard wereHeld, !modifiers else { return }
    // Who came before this line is in the list; who comes after sees the new value.
    for waiter in state.withLock({ Self.takeWaiters(&$0) }) { waiter.resume(returning: true) }
  }

  /// Lets everyone go; nothing is held as far as anybody can tell.
  func finish() {
    heldModifiers.store(false, ordering: .sequentiallyConsistent)
    heldTrigger.store(false, ordering: .sequentiallyConsistent)
    let waiters = state.withLock { state in
      state.hasStopped = true
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
          if !modifiersAreHeld { return true }
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
