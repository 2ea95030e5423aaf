import BlurtEngine
import BlurtHotkey

/// Three imaginary keyboards, with events lost and devices unplugged, beside the filters, the ledger, the tracker, the
/// router and the gate that hear of them. Notes what no sequence may ever do.
struct KeyboardWorld {
  static let owner = 97
  static let second = 100
  static let bound: Set = [owner, second]
  /// Letters, Shift, clicks, and touches, which are none.
  static let others = [46, 30, 42, 0x110, 0x111, 0x14a]
  private static let shift = 42

  /// A fault that is put in on purpose, so that the checks are seen failing.
  enum Fault {
    case none
    /// The tracker never hears that the second key went up.
    case upsAreSwallowed
    /// A key that is told again counts as pressed again after a reset that nobody asked for.
    case resetsByItself
  }

  /// What really is down on each device; nil while it is unplugged.
  private var real: [Set<Int>?] = [[], [], []]
  /// The number by which the tracker knows a device; a new one after each plugging in.
  private var numbers = [1, 2, 3]
  private var filters = [KeyEventFilter](repeating: KeyEventFilter(boundKeys: bound), count: 3)
  private var tracker: DictationKeyTracker
  private let fault: Fault
  private var time = Duration.zero
  /// A loss that has not been made good by a new reading.
  private var hasLost = false

  private var open: (gesture: UInt64, key: Int, latched: Bool)?
  /// What happened, written down only where somebody will read it.
  private var history: [String]?
  private(set) var violation: String?
  private(set) var starts = 0
  private(set) var ends: [String: Int] = [:]

  /// The seed chooses the modes of both keys.
  init(seed: UInt64, keepsHistory: Bool = false, fault: Fault = .none) {
    history = keepsHistory ? [] : nil
    self.fault = fault
    let modes = ActivationMode.allCases
    tracker = DictationKeyTracker(activations: [
      TriggerKeyActivation(keyCode: Self.owner, mode: modes[Int(seed % 3)]),
      TriggerKeyActivation(keyCode: Self.second, mode: modes[Int(seed / 3 % 3)]),
    ])
    for number in numbers { tracker.add(device: number, holding: []) }
  }

  /// Plays steps and lets go of everything at their end.
  mutating func play(_ steps: [KeyboardStep]) {
    for step in steps where violation == nil {
      carryOut(step)
      check()
    }
    guard violation == nil else { return }
    if hasLost { reread() }
    for device in 0..<3 {
      for key in (real[device] ?? []).sorted() { change(device, key, isLost: false) }
    }
    if let open, !open.latched { violate("gesture \(open.gesture) is open with all keys up") }
  }

  private mutating func carryOut(_ step: KeyboardStep) {
    switch step {
    case .key(let device, let code, let isLost): change(device, code, isLost: isLost)
    case .again(let device, let isRepeat): again(device, isRepeat: isRepeat)
    case .other(let device, let code):
      change(device, code, isLost: false)
      change(device, code, isLost: false)
    case .plug(let device, let holding): plug(device, holding: holding)
    case .reread: reread()
    case .reset(true): note(tracker.reset(ifGestureIs: open?.gesture, reason: .reset), "reset")
    case .reset(false): note(tracker.reset(ifGestureIs: 0, reason: .reset), "reset of none")
    case .pause(let milliseconds): time += .milliseconds(milliseconds)
    }
  }

  /// Changes a key for real; its device's filter hears of it unless that is lost.
  private mutating func change(_ device: Int, _ code: Int, isLost: Bool) {
    guard let held = real[device] else { return }
    let isDown = !held.contains(code)
    let boundIsUp = !real.contains { !($0?.isDisjoint(with: Self.bound) ?? true) }
    if isDown { real[device]?.insert(code) } else { real[device]?.remove(code) }
    let number = numbers[device]
    if isLost {
      hasLost = true
      write("lost \(isDown ? "down" : "up") \(code) on \(number)")
      return
    }
    if fault == .upsAreSwallowed, code == Self.second, !isDown { return }
    let mustStart = isDown && Self.bound.contains(code) && boundIsUp && open == nil && !hasLost
    let before = starts
    deliver(device, code, isDown ? 1 : 0, "\(isDown ? "down" : "up") \(code) on \(number)")
    if mustStart && starts == before { violate("a clean press did not start") }
  }

  /// The kernel tells of a held key again, as a source that re-reports would, or repeats it.
  private mutating func again(_ device: Int, isRepeat: Bool) {
    guard let key = real[device]?.min(), !hasLost else { return }
    if fault == .resetsByItself { _ = tracker.reset(reason: .reset) }
    let number = numbers[device]
    deliver(device, key, isRepeat ? 2 : 1, "\(isRepeat ? "repeat" : "again") \(key) on \(number)")
  }

  private mutating func deliver(_ device: Int, _ code: Int, _ value: Int, _ cause: @autoclosure () -> String) {
    write(cause())
    guard let input = filters[device].take(type: 1, code: code, value: value) else { return }
    if value == 2 { violate("a repeat was let through") }
    note(tracker.take(input, device: numbers[device], at: time), nil)
  }

  private mutating func plug(_ device: Int, holding: Int?) {
    let number = numbers[device]
    if real[device] != nil {
      real[device] = nil
      note(tracker.remove(device: number, at: time), "unplug \(number)")
    } else {
      let held: Set = holding.map { [$0] } ?? []
      real[device] = held
      numbers[device] = number + 3
      filters[device] = KeyEventFilter(boundKeys: Self.bound)
      write("plug in \(number + 3) holding \(held)")
      tracker.add(device: number + 3, holding: filters[device].takeSnapshot(KeyBits(held)))
    }
  }

  private mutating func reread() {
    var snapshots: [Int: Set<Int>] = [:]
    for device in 0..<3 {
      guard let held = real[device] else { continue }
      snapshots[numbers[device]] = filters[device].takeSnapshot(KeyBits(held))
    }
    hasLost = false
    note(tracker.recover(snapshots, at: time), "read again")
  }

  private mutating func note(_ event: HotkeyEvent?, _ cause: @autoclosure () -> String?) {
    if history != nil, let cause = cause() { write(cause) }
    guard let event else { return }
    write("  -> \(event)")
    if case .start(let key, let gesture, _) = event {
      starts += 1
      if let open { violate("started twice: \(open.gesture) was open") }
      if !isHeld(key) && !hasLost { violate("started by a key that is up") }
      open = (gesture, key, false)
      return
    }
    guard let open, event.gesture == open.gesture else { return violate("\(event) is about no open gesture") }
    switch event {
    case .latch, .stop, .keyLost:
      if isHeld(open.key) && !hasLost { violate("\(event) while the key is held") }
    case .start, .cancel, .discarded, .statusChanged: break
    }
    switch event {
    case .latch: self.open?.latched = true
    case .stop: end("stop")
    case .cancel: end("cancel")
    case .keyLost: end("keyLost")
    case .discarded: end("discarded")
    case .start, .statusChanged: violate("unexpected \(event)")
    }
  }

  private func isHeld(_ key: Int) -> Bool { real.contains { $0?.contains(key) == true } }

  private mutating func end(_ how: String) {
    open = nil
    ends[how, default: 0] += 1
  }

  /// With nothing lost, an open gesture that is not latched has its key down somewhere.
  private mutating func check() {
    if open?.gesture != tracker.liveGesture { violate("the tracker's gesture is \(tracker.liveGesture ?? 0)") }
    if hasLost { return }
    if let open, !open.latched, !isHeld(open.key) { violate("gesture \(open.gesture) outlives its last held key") }
    for device in 0..<3 {
      guard let held = real[device] else { continue }
      let modifiers = !held.isDisjoint(with: Self.bound.union([Self.shift]))
      if fault == .none, filters[device].modifiersAreHeld != modifiers {
        violate("the modifiers of \(device) are wrong")
      }
    }
  }

  private mutating func violate(_ what: String) {
    if violation == nil { violation = ([what] + (history ?? [])).joined(separator: "\n") }
  }

  private mutating func write(_ line: @autoclosure () -> String) {
    if history != nil { history?.append(line()) }
  }
}
