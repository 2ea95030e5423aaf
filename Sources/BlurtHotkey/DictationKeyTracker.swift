package import BlurtEngine

/// The hotkey without its devices: from what the devices report to what the daemon is told.
///
/// Joins the ledger, which makes one key of many devices, with the router, and numbers the gestures. Pure and without a
/// clock. Each call returns what is to be told, if anything.
package struct DictationKeyTracker: Sendable {
  /// When a device disappears, the kernel first lets go of its keys. A key-up that latched a gesture this shortly before
  /// its device vanished was that and not a tap: nobody is left to end the gesture.
  package static let unplugWindow: Duration = .milliseconds(500)

  private var router: DictationKeyRouter
  private var ledger = KeyStateLedger()
  private var gesture: UInt64 = 0
  /// Who latched the gesture, and when; forgotten once a trigger key is pressed again.
  private var latch: (device: Int, time: Duration)?

  package init(activations: [TriggerKeyActivation]) {
    router = DictationKeyRouter(activations: activations)
  }

  /// A gesture is under way.
  package var isLive: Bool { !router.isIdle }

  /// The live gesture's number; nil while none is.
  package var liveGesture: UInt64? { isLive ? gesture : nil }

  /// Some device holds a bound key.
  package var triggerIsHeld: Bool { !ledger.isEmpty }

  /// A device was opened with these keys down. They start nothing until they were seen up (H-81).
  package mutating func add(device: Int, holding keys: Set<Int>) { ledger.set(device: device, holding: keys) }

  /// Takes one event of one device. The time is the event's own.
  package mutating func take(_ input: KeyInput, device: Int, at time: Duration) -> HotkeyEvent? {
    guard ledger.contains(device: device) else { return nil }
    let event: DictationKeyRouter.Event
    switch input {
    case .boundKey(let code, let isDown):
      guard ledger.change(code, isDown: isDown, device: device) else { return nil }
      if isDown { latch = nil }
      event = .flagsChanged(keyCode: code, isOn: isDown)
    case .otherKey: event = .otherKeyDown
    case .pointer: event = .pointerDown
    }
    return report(router.handle(event, at: time), device: device, at: time)
  }

  /// A device is gone (H-75). The time is now.
  package mutating func remove(device: Int, at time: Duration) -> HotkeyEvent? {
    let gesture = self.gesture
    var ended = false
    for code in ledger.remove(device: device) where router.keyLost(code).endedGesture { ended = true }
    if !ended, router.isLatched, let latch, latch.device == device, time - latch.time <= Self.unplugWindow {
      ended = router.reset()
    }
    return ended ? .keyLost(gesture: gesture) : nil
  }

  /// Takes the true state of every device after events were lost (H-73, H-80). Devices not named keep theirs.
  package mutating func recover(_ snapshots: [Int: Set<Int>], at time: Duration) -> HotkeyEvent? {
    for (device, keys) in snapshots { ledger.set(device: device, holding: keys) }
    switch router.recover(keysDown: ledger.keysDown, at: time) {
    case .unchanged: return nil
    case .keyLost: return .keyLost(gesture: gesture)
    case .discarded: return .discarded(gesture: gesture, reason: .eventsLost)
    }
  }

  /// Ends the live gesture (H-41); with a number, only if it is that one (H-85).
  package mutating func reset(ifGestureIs wanted: UInt64? = nil, reason: HotkeyEvent.DiscardReason) -> HotkeyEvent? {
    guard wanted == nil || wanted == gesture, router.reset() else { return nil }
    return .discarded(gesture: gesture, reason: reason)
  }

  /// Changes the bound keys (H-43). The devices' true states must follow by `add`.
  package mutating func rebind(_ activations: [TriggerKeyActivation]) -> HotkeyEvent? {
    router.rebind(activations) ? .discarded(gesture: gesture, reason: .rebound) : nil
  }

  private mutating func report(_ action: DictationKeyGate.Action, device: Int, at time: Duration) -> HotkeyEvent? {
    switch action {
    case .start:
      gesture += 1
      guard let keyCode = router.activeKeyCode else { return nil }
      return .start(keyCode: keyCode, gesture: gesture, at: time)
    case .stop: return .stop(gesture: gesture, at: time)
    case .cancel: return .cancel(gesture: gesture, at: time)
    case .latch:
      latch = (device, time)
      return .latch(gesture: gesture, at: time)
    case .none: return nil
    }
  }
}
