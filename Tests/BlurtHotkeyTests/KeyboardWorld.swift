import BlurtEngine
import BlurtHotkey

/// Three imaginary keyboards that are played upon at random, with events lost and devices unplugged, beside the tracker
/// that hears of it. Notes what no sequence may ever do.
struct KeyboardWorld {
  static let owner = 97
  static let second = 100

  /// What really is down on each device; nil while it is unplugged.
  private var real: [Set<Int>?] = [[], [], []]
  /// The number by which the tracker knows a device; a new one after each plugging in.
  private var numbers = [1, 2, 3]
  private var tracker: DictationKeyTracker
  private var time = Duration.zero
  private var generator: SeededGenerator
  /// A loss that has not been made good by a recovery.
  private var hasLost = false

  private var open: (gesture: UInt64, key: Int, latched: Bool)?
  /// What happened, written down only where somebody will read it.
  private var history: [String]?
  private(set) var violations: [String] = []
  private(set) var starts = 0
  private(set) var ends: [String: Int] = [:]

  init(seed: UInt64, keepsHistory: Bool = false) {
    history = keepsHistory ? [] : nil
    generator = SeededGenerator(seed: seed)
    let modes = ActivationMode.allCases
    tracker = DictationKeyTracker(activations: [
      TriggerKeyActivation(keyCode: Self.owner, mode: modes[Int(seed % 3)]),
      TriggerKeyActivation(keyCode: Self.second, mode: modes[Int(seed / 3 % 3)]),
    ])
    for number in numbers { tracker.add(device: number, holding: []) }
  }

  /// Plays a sequence and lets go of everything at its end.
  mutating func play(steps: Int) {
    for _ in 0..<steps where violations.isEmpty { step() }
    guard violations.isEmpty else { return }
    if hasLost { recover() }
    for device in 0..<3 {
      for key in (real[device] ?? []).sorted() { press(device, key, isDown: false, lost: false) }
    }
    if let open, !open.latched { violate("gesture \(open.gesture) is open with all keys up") }
  }

  private mutating func step() {
    time += .milliseconds(Int.random(in: 0...700, using: &generator))
    let device = Int.random(in: 0..<3, using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<62: press(device, randomKey(), isDown: nil, lost: false)
    case 62..<70: press(device, randomKey(), isDown: nil, lost: true)
    case 70..<76: other(device, .otherKey)
    case 76..<80: other(device, .pointer)
    case 80..<86: plug(device)
    case 86..<93: recover()
    case 93..<96: note(tracker.reset(ifGestureIs: open?.gesture, reason: .reset), "reset")
    case 96..<98: note(tracker.reset(ifGestureIs: 0, reason: .reset), "reset of none")
    default: repeatKey(device)
    }
    check()
  }

  private mutating func randomKey() -> Int {
    Int.random(in: 0..<4, using: &generator) == 0 ? Self.second : Self.owner
  }

  /// Changes a key for real; the tracker hears of it unless that is lost.
  private mutating func press(_ device: Int, _ key: Int, isDown wanted: Bool?, lost: Bool) {
    guard let held = real[device] else { return }
    let number = numbers[device]
    let isDown = wanted ?? !held.contains(key)
    let allUp = !real.contains { $0?.isEmpty == false }
    if isDown { real[device]?.insert(key) } else { real[device]?.remove(key) }
    if lost {
      hasLost = true
      write("lost \(isDown ? "down" : "up") \(key) on \(number)")
      return
    }
    let mustStart = isDown && allUp && open == nil && !hasLost
    let before = starts
    let event = tracker.take(.boundKey(code: key, isDown: isDown), device: number, at: time)
    note(event, "\(isDown ? "down" : "up") \(key) on \(number)")
    if mustStart && starts == before { violate("a clean press did not start") }
  }

  /// The kernel tells of a held key again, as a source that re-reports would.
  private mutating func repeatKey(_ device: Int) {
    guard let key = real[device]?.first, !hasLost else { return }
    note(tracker.take(.boundKey(code: key, isDown: true), device: numbers[device], at: time), "repeat \(key)")
  }

  private mutating func other(_ device: Int, _ input: KeyInput) {
    guard real[device] != nil else { return }
    note(tracker.take(input, device: numbers[device], at: time), "\(input)")
  }

  /// Unplugs a device, or plugs one in that may have keys down already.
  private mutating func plug(_ device: Int) {
    let number = numbers[device]
    if real[device] != nil {
      real[device] = nil
      note(tracker.remove(device: number, at: time), "unplug \(number)")
    } else {
      let held: Set = Int.random(in: 0..<4, using: &generator) == 0 ? [randomKey()] : []
      real[device] = held
      numbers[device] = number + 3
      write("plug in \(number + 3) holding \(held)")
      tracker.add(device: number + 3, holding: held)
    }
  }

  private mutating func recover() {
    var snapshots: [Int: Set<Int>] = [:]
    for device in 0..<3 { snapshots[numbers[device]] = real[device] }
    hasLost = false
    note(tracker.recover(snapshots, at: time), "recover")
  }

  private mutating func note(_ event: HotkeyEvent?, _ cause: @autoclosure () -> String) {
    write(cause())
    guard let event else { return }
    write("  -> \(event)")
    if case .start(let key, let gesture, _) = event {
      starts += 1
      if let open { violate("started twice: \(open.gesture) was open") }
      open = (gesture, key, false)
      return
    }
    guard let open, event.gesture == open.gesture else { return violate("\(event) is about no open gesture") }
    let isHeld = real.contains { $0?.contains(open.key) == true }
    switch event {
    case .latch, .stop, .keyLost:
      if isHeld && !hasLost { violate("\(event) while the key is held") }
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

  private mutating func end(_ how: String) {
    open = nil
    ends[how, default: 0] += 1
  }

  /// With nothing lost, an open gesture that is not latched has its key down somewhere.
  private mutating func check() {
    if (open?.gesture) != tracker.liveGesture { violate("the tracker's gesture is \(tracker.liveGesture ?? 0)") }
    guard let open, !open.latched, !hasLost else { return }
    if !real.contains(where: { $0?.contains(open.key) == true }) {
      violate("gesture \(open.gesture) outlives its last held key")
    }
  }

  private mutating func violate(_ what: String) {
    violations.append(([what] + (history ?? [])).joined(separator: "\n"))
  }

  private mutating func write(_ line: @autoclosure () -> String) {
    if history != nil { history?.append(line()) }
  }
}
