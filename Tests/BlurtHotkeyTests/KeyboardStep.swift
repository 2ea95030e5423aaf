/// One thing that happens to imaginary keyboards. It makes sense in any state, so that steps can be left out.
enum KeyboardStep: Sendable, Hashable {
  /// A key of a device changes, or its event is lost in the kernel's queue. Time passes first.
  case key(device: Int, code: Int, isLost: Bool)
  /// The kernel tells again that a key is held, or repeats it.
  case again(device: Int, isRepeat: Bool)
  /// A key or button that is not bound goes down and up.
  case other(device: Int, code: Int)
  /// A device is unplugged, or plugged in with that key down.
  case plug(device: Int, holding: Int?)
  /// The kernel says that events were lost, and every device is read again.
  case reread
  /// The daemon puts the live gesture back, or one that is over.
  case reset(live: Bool)
  case pause(milliseconds: Int)

  /// Steps at random; the same for the same generator.
  static func sequence(_ count: Int, using generator: inout SeededGenerator) -> [Self] {
    (0..<count).flatMap { _ -> [Self] in
      [.pause(milliseconds: Int.random(in: 0...700, using: &generator)), random(using: &generator)]
    }
  }

  private static func random(using generator: inout SeededGenerator) -> Self {
    let device = Int.random(in: 0..<3, using: &generator)
    let isSecond = Int.random(in: 0..<4, using: &generator) == 0
    let code = isSecond ? KeyboardWorld.second : KeyboardWorld.owner
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<62: return .key(device: device, code: code, isLost: false)
    case 62..<70: return .key(device: device, code: code, isLost: true)
    case 70..<80: return .other(device: device, code: KeyboardWorld.others.randomElement(using: &generator) ?? 46)
    case 80..<86: return .plug(device: device, holding: Int.random(in: 0..<4, using: &generator) == 0 ? code : nil)
    case 86..<93: return .reread
    case 93..<96: return .reset(live: true)
    case 96..<98: return .reset(live: false)
    default: return .again(device: device, isRepeat: isSecond)
    }
  }

  /// The fewest of these steps that still fail: leaves out ever smaller parts for as long as that helps.
  static func shrunk(_ steps: [Self], _ fails: ([Self]) -> Bool) -> [Self] {
    var steps = steps
    var size = max(1, steps.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if fails(fewer) {
          steps = fewer
          isShorter = true
        } else {
          start += size
        }
      }
      if size == 1 && !isShorter { return steps }
      size = max(1, size / 2)
    }
  }
}
