/// Decides which raw key events reach the gate, and which of several trigger keys owns it (H-30…H-46).
///
/// Pure and without a clock. Only edges get through; the first key that goes down owns the gate until it is idle again.
public struct DictationKeyRouter: Sendable, Hashable {
  /// What a source of key events reports.
  public enum Event: Sendable, Hashable {
    /// The state of a key, as an edge or told again. Codes that are not bound are ignored (H-30).
    case flagsChanged(keyCode: Int, isOn: Bool)
    /// A key went down. A bound one is ignored here: `flagsChanged` speaks for it (H-32).
    case keyDown(keyCode: Int)
    /// A key that is not bound went down; for a source that keeps its code to itself.
    case otherKeyDown
    /// A pointer button went down (H-34).
    case pointerDown
  }

  /// What became of a gesture when events had been lost.
  public enum Recovery: Sendable, Hashable {
    /// Nothing was lost that matters: no gesture, or one whose key is still down.
    case unchanged
    /// The owning key is up or gone, and its key-up will never come. The gesture is over; the user did let go.
    case keyLost
    /// A latched gesture was ended: a tap that should have stopped it may be among what was lost.
    case discarded

    /// A live gesture was ended: what H-45 calls true.
    public var endedGesture: Bool { self != .unchanged }
  }

  private var gate: DictationKeyGate
  private var modes: [Int: ActivationMode]
  /// The bound keys that are down by the edges seen so far.
  private var down: Set<Int> = []

  /// H-35: the key that owns the gate; nil while the gate is idle.
  public private(set) var activeKeyCode: Int?

  /// Where a code is given twice, the first counts.
  public init(
    activations: [TriggerKeyActivation], holdThreshold: Duration = DictationKeyGate.defaultHoldThreshold
  ) {
    gate = DictationKeyGate(holdThreshold: holdThreshold)
    modes = Self.modes(of: activations)
  }

  /// H-04: no gesture is under way.
  public var isIdle: Bool { gate.isIdle }

  /// A dictation runs with no key held.
  public var isLatched: Bool { gate.isLatched }

  /// The codes that count.
  public var boundKeyCodes: Set<Int> { Set(modes.keys) }

  /// Takes one event with its own monotonic time.
  public mutating func handle(_ event: Event, at time: Duration) -> DictationKeyGate.Action {
    switch event {
    case .flagsChanged(let keyCode, true): keyWentOn(keyCode, at: time)
    case .flagsChanged(let keyCode, false): keyWentOff(keyCode, at: time)
    case .keyDown(let keyCode): modes[keyCode] == nil ? otherInput() : .none
    case .otherKeyDown, .pointerDown: otherInput()
    }
  }

  /// Ends a live gesture and forgets which keys are down; returns whether there was one (H-40, H-41).
  ///
  /// A key that is still held then does nothing until it is pressed again (H-46).
  public mutating func reset() -> Bool {
    guard !gate.isIdle else { return false }
    gate.reset()
    activeKeyCode = nil
    down = []
    return true
  }

  /// Changes which keys count; returns whether a live gesture was ended by it (H-42, H-43).
  public mutating func rebind(_ activations: [TriggerKeyActivation]) -> Bool {
    let hadGesture = reset()
    modes = Self.modes(of: activations)
    down.formIntersection(modes.keys)
    return hadGesture
  }

  /// Takes over the true state of all keys after events were lost (H-44, H-45). Never starts anything.
  ///
  /// A latched gesture whose key turns out to be down has lost the key-down of its stopping tap: it is made up for,
  /// so that the coming key-up ends the gesture.
  public mutating func recover(keysDown: Set<Int>, at time: Duration) -> Recovery {
    let keysDown = keysDown.intersection(modes.keys)
    guard let owner = activeKeyCode else {
      down = keysDown
      return .unchanged
    }
    if keysDown.contains(owner) {
      down = keysDown
      _ = gate.keyDown(at: time)
      return .unchanged
    }
    let wasLatched = gate.isLatched
    _ = reset()
    down = keysDown
    return wasLatched ? .discarded : .keyLost
  }

  /// The last device that held this key is gone (H-75). A latched gesture needs no key and goes on.
  public mutating func keyLost(_ keyCode: Int) -> Recovery {
    down.remove(keyCode)
    guard keyCode == activeKeyCode, gate.isArmed else { return .unchanged }
    _ = reset()
    return .keyLost
  }

  private mutating func keyWentOn(_ keyCode: Int, at time: Duration) -> DictationKeyGate.Action {
    guard let mode = modes[keyCode], down.insert(keyCode).inserted else { return .none }
    guard keyCode == activeKeyCode || activeKeyCode == nil else { return .none }
    activeKeyCode = keyCode
    return gate.keyDown(at: time, mode: mode)
  }

  private mutating func keyWentOff(_ keyCode: Int, at time: Duration) -> DictationKeyGate.Action {
    guard down.remove(keyCode) != nil, keyCode == activeKeyCode else { return .none }
    return settled(gate.keyUp(at: time))
  }

  private mutating func otherInput() -> DictationKeyGate.Action { settled(gate.otherInput()) }

  /// Gives up the ownership once the gate is idle.
  private mutating func settled(_ action: DictationKeyGate.Action) -> DictationKeyGate.Action {
    if gate.isIdle { activeKeyCode = nil }
    return action
  }

  private static func modes(of activations: [TriggerKeyActivation]) -> [Int: ActivationMode] {
    Dictionary(activations.map { ($0.keyCode, $0.mode) }, uniquingKeysWith: { first, _ in first })
  }
}
