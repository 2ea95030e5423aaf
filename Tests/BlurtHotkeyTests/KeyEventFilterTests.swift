import BlurtHotkey
import Testing

struct KeyEventFilterTests {
  private var filter = KeyEventFilter(boundKeys: [EvdevCode.rightControl])

  private mutating func key(_ code: Int, _ value: Int) -> KeyInput? {
    filter.take(type: EvdevCode.key, code: code, value: value)
  }

  @Test("H-68 a bound key's press and release are told with its code")
  mutating func boundKey() {
    #expect(key(EvdevCode.rightControl, 1) == .boundKey(code: EvdevCode.rightControl, isDown: true))
    #expect(key(EvdevCode.rightControl, 0) == .boundKey(code: EvdevCode.rightControl, isDown: false))
  }

  @Test("H-69 H-71 repeats are dropped, bound or not, and so are other keys' releases")
  mutating func repeats() {
    #expect(key(EvdevCode.rightControl, 2) == nil)
    #expect(key(EvdevCode.c, 2) == nil)
    #expect(key(EvdevCode.c, 0) == nil)
    #expect(key(EvdevCode.buttonLeft, 0) == nil)
  }

  @Test("H-70 another key's press is told without its code", arguments: [1, EvdevCode.c, 255, EvdevCode.ok, 0x2ff])
  mutating func otherKey(code: Int) {
    #expect(key(code, 1) == .otherKey)
  }

  @Test("H-72 the buttons of a pointer are clicks", arguments: EvdevCode.buttonLeft...EvdevCode.buttonTask)
  mutating func click(code: Int) {
    #expect(key(code, 1) == .pointer)
  }

  @Test(
    "H-72 touches, tools and the buttons of joysticks are nothing",
    arguments: [EvdevCode.buttonMisc, 0x10f, 0x118, 0x130, EvdevCode.buttonToolFinger, EvdevCode.buttonTouch, 0x15f])
  mutating func touch(code: Int) {
    #expect(key(code, 1) == nil)
  }

  @Test("H-72 motion and scan codes are nothing")
  mutating func otherTypes() {
    for type in [EvdevCode.syn, EvdevCode.relative, EvdevCode.absolute, EvdevCode.misc] {
      #expect(filter.take(type: type, code: EvdevCode.rightControl, value: 1) == nil)
    }
  }

  @Test("codes and values that no kernel sends are nothing worse than another key")
  mutating func nonsense() {
    #expect(key(65535, 1) == .otherKey)
    #expect(key(EvdevCode.rightControl, -1) == nil)
    #expect(key(EvdevCode.rightControl, .max) == nil)
    #expect(filter.take(type: 65535, code: 65535, value: .min) == nil)
  }

  @Test("H-77 a device matters for a bound key or a button to click with, and for nothing else")
  func relevance() {
    let bound: Set = [EvdevCode.rightControl]
    #expect(KeyEventFilter.isRelevant(KeyBits(1..<128), boundKeys: bound))
    #expect(KeyEventFilter.isRelevant(KeyBits([EvdevCode.buttonLeft]), boundKeys: bound))
    #expect(!KeyEventFilter.isRelevant(KeyBits(1..<97), boundKeys: bound))
    #expect(!KeyEventFilter.isRelevant(KeyBits([116, EvdevCode.buttonTouch]), boundKeys: bound))
    #expect(!KeyEventFilter.isRelevant(KeyBits(), boundKeys: bound))
    #expect(!KeyEventFilter.isRelevant(KeyBits(1..<128), boundKeys: []))
    // B-22: a consumer control whose only interesting key is the trigger.
    #expect(KeyEventFilter.isRelevant(KeyBits([582, 115]), boundKeys: [582]))
  }

  @Test("H-72 H-77 the kernel is asked for keys and clicks, not for touches")
  func wanted() {
    let wanted = KeyEventFilter.wantedCodes(boundKeys: [EvdevCode.rightControl])
    for code in 0...EvdevCode.max {
      let expected =
        code < EvdevCode.buttonMisc || code >= EvdevCode.ok
        || (EvdevCode.buttonLeft...EvdevCode.buttonTask).contains(code)
      #expect(wanted.contains(code) == expected, "code \(code)")
    }
  }

  @Test("modifiers are known to be held as long as one of them is, the trigger included")
  mutating func modifiers() {
    #expect(!filter.modifiersAreHeld)
    _ = key(EvdevCode.leftShift, 1)
    _ = key(EvdevCode.rightControl, 1)
    _ = key(EvdevCode.leftShift, 2)
    _ = key(EvdevCode.leftShift, 0)
    #expect(filter.modifiersAreHeld)
    _ = key(EvdevCode.rightControl, 0)
    #expect(!filter.modifiersAreHeld)
    _ = key(EvdevCode.c, 1)
    #expect(!filter.modifiersAreHeld)
  }

  @Test("H-73 a snapshot gives the bound keys that are down and replaces what was known of the modifiers")
  mutating func snapshot() {
    _ = key(EvdevCode.leftShift, 1)
    #expect(filter.takeSnapshot(KeyBits([EvdevCode.c])) == [])
    #expect(!filter.modifiersAreHeld)
    #expect(filter.takeSnapshot(KeyBits([EvdevCode.rightControl, EvdevCode.c])) == [EvdevCode.rightControl])
    #expect(filter.modifiersAreHeld)
  }
}
