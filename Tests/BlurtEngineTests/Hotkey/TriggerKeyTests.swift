import BlurtEngine
import Testing

struct TriggerKeyTests {
  @Test("H-62 H-63 H-64 H-65 H-66 H-67 six lone modifiers are offered, right Ctrl first")
  func offered() {
    #expect(TriggerKey.offered.map(\.code) == [97, 100, 56, 29, 126, 125])
    #expect(
      TriggerKey.offered.map(\.name) == [
        "KEY_RIGHTCTRL", "KEY_RIGHTALT", "KEY_LEFTALT", "KEY_LEFTCTRL", "KEY_RIGHTMETA", "KEY_LEFTMETA",
      ])
    #expect(TriggerKey.default.code == 97)
  }

  @Test("H-63 H-65 H-66 H-67 keys that get in the way come with a caution; right Ctrl and left Alt do not")
  func cautions() {
    let withCaution = TriggerKey.offered.filter { $0.caution != nil }
    #expect(withCaution == [.rightAlt, .leftControl, .rightMeta, .leftMeta])
  }

  @Test("H-53 a stored code or name is decoded; unknown and missing ones are right Ctrl")
  func stored() {
    #expect(TriggerKey(stored: "100") == .rightAlt)
    #expect(TriggerKey(stored: "KEY_LEFTALT") == .leftAlt)
    #expect(TriggerKey(storedCode: 125) == .leftMeta)
    for wrong in [nil, "", "30", "KEY_A", "rightctlr", "-1", "99999999999999999999", "97.0"] {
      #expect(TriggerKey(stored: wrong) == .rightControl)
    }
    #expect(TriggerKey(storedCode: nil) == .rightControl)
    #expect(TriggerKey(storedCode: 63) == .rightControl)
    #expect(TriggerKey(storedCode: .min) == .rightControl)
  }

  @Test("B-09 a mistyped key is told from a right one, so that it can be refused by name")
  func strict() {
    #expect(TriggerKey("rightctlr") == nil)
    #expect(TriggerKey("KEY_A") == nil)
    #expect(TriggerKey("30") == nil)
    #expect(TriggerKey("BTN_SIDE") == nil)
    #expect(TriggerKey("rightctrl") == .rightControl)
    #expect(TriggerKey("Key_RightCtrl") == .rightControl)
    #expect(TriggerKey("97") == .rightControl)
  }

  @Test("B-21 F13 to F24 can be chosen by their evdev names", arguments: 13...24)
  func functionKeys(number: Int) throws {
    let key = try #require(TriggerKey("KEY_F\(number)"))
    #expect(key.code == 183 + number - 13)
    #expect(TriggerKey(code: key.code) == key)
  }

  @Test("no code and no name stands for two keys")
  func unique() {
    let all = TriggerKey.offered + TriggerKey.alsoAccepted
    #expect(Set(all.map(\.code)).count == all.count)
    #expect(Set(all.map(\.name)).count == all.count)
  }
}
