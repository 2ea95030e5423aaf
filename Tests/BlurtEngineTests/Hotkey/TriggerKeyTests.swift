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
    for wrong in [nil, "", "30", "KEY_A", "KEY_", "rightctlr", "-1", "99999999999999999999", "97.0"] {
      #expect(TriggerKey(stored: wrong) == .rightControl)
    }
    #expect(TriggerKey(storedCode: nil) == .rightControl)
    #expect(TriggerKey(storedCode: 30) == .rightControl)
    #expect(TriggerKey(storedCode: .min) == .rightControl)
  }

  @Test("B-09 a mistyped key is told from a right one, so that it can be refused by name")
  func strict() {
    #expect(TriggerKey("rightctlr") == nil)
    #expect(TriggerKey("KEY_A") == nil)
    #expect(TriggerKey("30") == nil)
    #expect(TriggerKey("KEY_BACK") == nil)
    #expect(TriggerKey("rightctrl") == .rightControl)
    #expect(TriggerKey("Key_RightCtrl") == .rightControl)
    #expect(TriggerKey("97") == .rightControl)
    #expect(TriggerKey("right ctrl") == .rightControl)
    #expect(TriggerKey("Left Super") == .leftMeta)
  }

  @Test("B-09 a refusal names the word, and the keys that were perhaps meant")
  func refusals() throws {
    func refusal(_ text: String) -> String { TriggerKey.refusal(of: text) ?? "" }
    #expect(refusal("rightctlr") == #""rightctlr" is no key that can dictate; perhaps KEY_RIGHTCTRL was meant"#)
    #expect(refusal("KEY_RIGHTMET").hasSuffix("perhaps KEY_RIGHTMETA was meant"))
    #expect(refusal("leftsuper") == "")
    #expect(refusal("left supr").contains("KEY_LEFTMETA"))
    #expect(refusal("capslok").contains("KEY_CAPSLOCK"))
    #expect(refusal("KEY_FOO").contains("usual are KEY_RIGHTCTRL, KEY_RIGHTALT"))
    #expect(refusal("9999").contains(#""9999" is no key that can dictate; usual are"#))
    #expect(TriggerKey.refusal(of: "97") == nil)
    let long = refusal(String(repeating: "x", count: 10_000))
    #expect(long.utf8.count < 300)
  }

  @Test("B-09 B-19 a key that writes is refused by its name and by its code, with the reason")
  func writingKeys() {
    for key in TriggerKey.writingKeys {
      #expect(TriggerKey(code: key.code) == nil && TriggerKey(key.name) == nil, "\(key.name)")
      #expect(TriggerKey.refusal(of: key.name)?.contains("writes or moves the cursor") == true, "\(key.name)")
      #expect(TriggerKey.refusal(of: String(key.code))?.contains("writes") == true, "\(key.name)")
    }
    #expect(TriggerKey.writingKeys.contains { $0 == (30, "KEY_A") })
    #expect(TriggerKey.refusal(of: "space")?.contains("writes") == true)
  }

  @Test("B-32 a mouse's side buttons can dictate, the buttons of every click cannot")
  func mouseButtons() {
    #expect(TriggerKey("BTN_SIDE")?.code == 275)
    #expect(TriggerKey("btn_extra")?.code == 276)
    #expect(TriggerKey("BTN_SIDE")?.caution?.contains("under the pointer") == true)
    for name in ["BTN_LEFT", "BTN_RIGHT", "btn_middle", "272"] {
      #expect(TriggerKey(name) == nil)
      #expect(TriggerKey.refusal(of: name)?.contains("every click needs; take BTN_SIDE") == true, "\(name)")
    }
    #expect(TriggerKey.refusal(of: "KEY_LEFT")?.contains("moves the cursor") == true)
  }

  @Test("H-60 Fn can be bound like any key, with a caution; there is no other action of it that would be overridden")
  func fn() {
    #expect(TriggerKey("KEY_FN")?.code == 464)
    #expect(TriggerKey("KEY_FN")?.caution?.contains("report nothing") == true)
    #expect(!TriggerKey.offered.contains { $0.name == "KEY_FN" })
  }

  @Test("H-63 H-65 every accepted key that does something of its own says so")
  func ownActions() {
    for name in ["KEY_CAPSLOCK", "KEY_LEFTSHIFT", "KEY_RIGHTSHIFT", "KEY_F1", "KEY_F12", "KEY_SYSRQ", "KEY_NUMLOCK"] {
      #expect(TriggerKey(name)?.caution != nil, "\(name)")
    }
    for name in ["KEY_F13", "KEY_F24", "KEY_PAUSE", "KEY_VOICECOMMAND", "KEY_DICTATE", "KEY_RECORD"] {
      #expect(TriggerKey(name) != nil && TriggerKey(name)?.caution == nil, "\(name)")
    }
    #expect(TriggerKey("KEY_F10")?.code == 68 && TriggerKey("KEY_F11")?.code == 87 && TriggerKey("KEY_F12")?.code == 88)
  }

  @Test("B-21 F13 to F24 can be chosen by their evdev names", arguments: 13...24)
  func functionKeys(number: Int) throws {
    let key = try #require(TriggerKey("KEY_F\(number)"))
    #expect(key.code == 183 + number - 13)
    #expect(TriggerKey(code: key.code) == key)
  }

  @Test("no code and no name stands for two keys")
  func unique() {
    let all = TriggerKey.all
    #expect(all.prefix(6).elementsEqual(TriggerKey.offered))
    for key in all { #expect(TriggerKey(key.name) == key && TriggerKey(key.label) == key, "\(key.name)") }
    let refused = Set((TriggerKey.writingKeys + TriggerKey.clickButtons).map(\.code))
    #expect(refused.isDisjoint(with: all.map(\.code)))
    #expect(Set(all.map(\.code)).count == all.count)
    #expect(Set(all.map(\.name)).count == all.count)
  }
}
