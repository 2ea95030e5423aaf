import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TriggerKeyStyleStoreTests {
  private func choices(_ backing: MemorySettings, bound: TriggerKey = .default) -> [TriggerKey: TriggerKeyChoice] {
    let store = TriggerKeyStyleStore(backing: backing)
    return Dictionary(
      uniqueKeysWithValues: TriggerKey.offered.map {
        ($0, store.choice(of: $0, boundKey: bound, canReadAloud: true))
      })
  }

  @Test("P-22 H-56 H-64 unset: the bound key dictates, Left Alt reads aloud where that can be had, the rest is off")
  func defaults() {
    let unset = choices(MemorySettings())
    #expect(unset[.rightControl] == .dictate(style: nil))
    #expect(unset[.leftAlt] == .readAloud)
    #expect(Set(unset.filter { $0.value == .off }.keys) == [.rightAlt, .leftControl, .rightMeta, .leftMeta])
    #expect(choices(MemorySettings(), bound: .leftAlt)[.leftAlt] == .dictate(style: nil))
    #expect(choices(MemorySettings(), bound: .leftAlt)[.rightControl] == .off)
    let store = TriggerKeyStyleStore(backing: MemorySettings())
    #expect(store.choice(of: .leftAlt, boundKey: .default, canReadAloud: false) == .off)
  }

  @Test("P-22 H-55 H-54 stored choices are read; keys that cannot dictate any more are skipped")
  func stored() throws {
    let value = try SettingFixtures.json(
      #"{"97":{"action":"off"},"100":{"action":"dictate","style":" mail "},"56":{"action":"ask"},"#
        + #""125":{"action":"dictate"},"126":{"action":"dictate","style":"default"},"30":{"action":"dictate"}}"#)
    let choices = choices(MemorySettings(["BlurtTriggerKeyStyles": value]))
    #expect(choices[.rightControl] == .off)
    #expect(choices[.rightAlt] == .dictate(style: "mail"))
    #expect(choices[.leftAlt] == .ask)
    #expect(choices[.leftMeta] == .dictate(style: nil))
    #expect(choices[.rightMeta] == .dictate(style: nil))
    #expect(choices[.rightControl]?.dictates == false && choices[.rightAlt]?.dictates == true)
  }

  @Test("P-07 a value that cannot be read means the defaults and is not written over")
  func undecodable() {
    for value in SettingFixtures.wrongTypes + [.object(["97": .object(["action": .string("sing")])])]
    where value != .object(["id": .number(1)]) {
      let backing = MemorySettings(["BlurtTriggerKeyStyles": value])
      #expect(choices(backing) == choices(MemorySettings()), "\(value)")
      #expect(backing.all["BlurtTriggerKeyStyles"] == value)
    }
  }

  @Test("H-58 one key's choice is stored by its code, beside the others")
  func setChoice() throws {
    let backing = MemorySettings()
    let store = TriggerKeyStyleStore(backing: backing)
    try store.setChoice(.dictate(style: "mail"), of: .rightAlt)
    try store.setChoice(.off, of: .default)
    let expected = try SettingFixtures.json(#"{"97":{"action":"off"},"100":{"action":"dictate","style":"mail"}}"#)
    #expect(backing.all["BlurtTriggerKeyStyles"] == expected)
  }

  @Test("H-58 an action that is assigned moves: the key that had it, even by default, is off")
  func assign() throws {
    let backing = MemorySettings()
    let store = TriggerKeyStyleStore(backing: backing)
    try store.assign(.readAloud, to: .leftMeta, boundKey: .default, canReadAloud: true)
    #expect(choices(backing)[.leftAlt] == .off)
    #expect(choices(backing)[.leftMeta] == .readAloud)
    try store.assign(.dictate(style: "mail"), to: .rightAlt, boundKey: .default, canReadAloud: true)
    #expect(choices(backing)[.default] == .off)
    #expect(choices(backing)[.rightAlt] == .dictate(style: "mail"))
    #expect(choices(backing)[.leftMeta] == .readAloud)
    try store.assign(.off, to: .leftMeta, boundKey: .default, canReadAloud: true)
    #expect(choices(backing)[.rightAlt] == .dictate(style: "mail"))
  }

  @Test("P-22 what a person hands in may name keys, is stored by codes, and is refused by the key's name")
  func handedIn() throws {
    func normalise(_ json: String) throws -> Result<SettingValue, SettingRefusal> {
      TriggerKeyStyleStore.normalise(try SettingFixtures.json(json))
    }
    #expect(
      try normalise(#"{"KEY_RIGHTALT":{"action":"dictate","style":"mail"},"leftalt":{"action":"off"}}"#).value
        == SettingFixtures.json(#"{"100":{"action":"dictate","style":"mail"},"56":{"action":"off"}}"#))
    #expect(try normalise("[]").sentence?.contains("object") == true)
    #expect(try normalise(#"{"KEY_A":{"action":"off"}}"#).sentence?.contains("\"KEY_A\"") == true)
    #expect(try normalise(#"{"97":"off"}"#).sentence?.contains("Right Ctrl") == true)
    #expect(try normalise(#"{"97":{"action":"sing"}}"#).sentence?.contains("off, dictate, readAloud, ask") == true)
    #expect(try normalise(#"{"97":{"action":"off","style":"mail"}}"#).sentence?.contains("only \"dictate\"") == true)
    #expect(
      try normalise(#"{"97":{"action":"off"},"KEY_RIGHTCTRL":{"action":"off"}}"#).sentence?.contains("twice") == true)
  }

  @Test("P-07 H-54 of a stored value with a key that is gone the rest counts, of one that cannot be read nothing")
  func salvage() {
    let stored = SettingValue.object([
      "97": .object(["action": .string("off")]), "30": .object(["action": .string("off")]),
    ])
    #expect(TriggerKeyStyleStore.normalise(stored).sentence != nil)
    #expect(TriggerKeyStyleStore.salvage(stored) == .object(["97": .object(["action": .string("off")])]))
    #expect(TriggerKeyStyleStore.salvage(.list([])) == nil)
  }
}
