import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TriggerKeyBindingStoreTests {
  private static let f13 = TriggerKey.all.first { $0.name == "KEY_F13" } ?? .default

  private func store(_ values: [String: SettingValue] = [:]) -> (TriggerKeyBindingStore, MemorySettings) {
    let backing = MemorySettings(values)
    return (TriggerKeyBindingStore(backing: backing), backing)
  }

  private func choices(_ bindings: TriggerKeyBindings) -> [TriggerKey: TriggerKeyChoice] {
    Dictionary(uniqueKeysWithValues: bindings.all.filter { $0.choice != .off }.map { ($0.key, $0.choice) })
  }

  // MARK: Reading

  @Test("H-56 H-62 H-64 P-22 unset: right Ctrl dictates, left Alt reads aloud where that can be had, the rest is off")
  func defaults() {
    let (store, _) = store()
    #expect(choices(store.current()) == [.rightControl: .dictate(style: nil)])
    #expect(choices(store.current(canReadAloud: true)) == [.rightControl: .dictate(style: nil), .leftAlt: .readAloud])
    #expect(store.current().activations == [TriggerKeyActivation(.rightControl)])
    #expect(store.current(canReadAloud: true).activations == [TriggerKeyActivation(.rightControl)])
    #expect(store.current().all.map(\.key) == TriggerKey.all)
    #expect(store.current()[.rightControl].isBound && !store.current()[.leftAlt].isBound)
  }

  @Test("H-53 P-11 the stored key is bound, an unknown one is right Ctrl")
  func storedKey() {
    #expect(store(["BlurtTriggerKeyCode": .number(56)]).0.current(canReadAloud: true).dictationKey == .leftAlt)
    #expect(store(["BlurtTriggerKeyCode": .number(30)]).0.current().dictationKey == .rightControl)
    #expect(store(["BlurtTriggerKeyCode": .string("KEY_F13")]).0.current().dictationKey == Self.f13)
  }

  @Test("H-55 H-36 P-22 stored choices and activations are read; keys that cannot dictate any more are skipped")
  func stored() throws {
    let value = try SettingFixtures.json(
      #"{"97":{"activation":"Hold"},"100":{"action":"dictate","style":" mail ","activation":"Tap"},"#
        + #""56":{"action":"ask"},"125":{"action":"dictate","activation":"DoubleTap"},"#
        + #""126":{"action":"dictate","style":"default"},"30":{"action":"dictate"}}"#)
    let bindings = store(["BlurtTriggerKeyStyles": value, "BlurtTriggerActivation": .string("Tap")]).0.current()
    #expect(
      choices(bindings) == [
        .rightControl: .dictate(style: nil), .rightAlt: .dictate(style: "mail"), .leftAlt: .ask,
        .leftMeta: .dictate(style: nil), .rightMeta: .dictate(style: nil),
      ])
    #expect(
      bindings.activations == [
        TriggerKeyActivation(.rightControl, mode: .hold), TriggerKeyActivation(.rightAlt, mode: .tap),
        TriggerKeyActivation(.rightMeta, mode: .tap), TriggerKeyActivation(.leftMeta, mode: .tap),
      ])
  }

  @Test("H-57 where the bound key is off the first one that dictates is bound; where none does, nothing is")
  func boundKeyIsOff() throws {
    let off = try SettingFixtures.json(
      #"{"97":{"action":"off"},"125":{"action":"dictate","style":"mail"},"183":{"action":"dictate"}}"#)
    let bindings = store(["BlurtTriggerKeyStyles": off]).0.current()
    #expect(bindings.dictationKey == .leftMeta)
    #expect(bindings[.leftMeta].isBound)
    #expect(bindings.activations.first == TriggerKeyActivation(.leftMeta))
    let none = store(["BlurtTriggerKeyStyles": try SettingFixtures.json(#"{"97":{"action":"off"}}"#)]).0.current()
    #expect(none.dictationKey == nil)
    #expect(none.activations == [])
    #expect(!none.all.contains { $0.isBound })
  }

  @Test("P-07 a value that cannot be read means the defaults and is not written over by another change")
  func undecodable() throws {
    for value in SettingFixtures.wrongTypes + [.object(["97": .object(["action": .string("sing")])])]
    where value != .object(["id": .number(1)]) {
      let (store, backing) = store(["BlurtTriggerKeyStyles": value])
      #expect(choices(store.current()) == [.rightControl: .dictate(style: nil)], "\(value)")
      try store.change { $0.setActivation(.hold) }
      #expect(backing.all["BlurtTriggerKeyStyles"] == value)
      #expect(backing.all["BlurtTriggerActivation"] == .string("Hold"))
    }
  }

  // MARK: Writing

  @Test("H-58 setChoice changes one key; only what differs from the defaults is stored, by codes")
  func setChoice() throws {
    let (store, backing) = store()
    try store.change { $0.setChoice(.dictate(style: "mail"), of: .rightAlt) }
    #expect(backing.writes.value == ["BlurtTriggerKeyStyles"])
    #expect(
      backing.all["BlurtTriggerKeyStyles"]
        == (try SettingFixtures.json(#"{"100":{"action":"dictate","style":"mail"}}"#)))
    #expect(store.current().dictationKey == .rightControl)
    try store.change { $0.setChoice(.off, of: .rightAlt) }
    #expect(backing.all["BlurtTriggerKeyStyles"] == nil)
    #expect(choices(store.current()) == [.rightControl: .dictate(style: nil)])
  }

  @Test("H-57 H-58 the bound key that is turned off hands over to the first one left, in the order of the roster")
  func handsOver() throws {
    let (store, backing) = store()
    try store.change {
      $0.setChoice(.dictate(style: nil), of: Self.f13)
      $0.setChoice(.dictate(style: "mail"), of: .leftMeta)
      $0.setChoice(.off, of: .rightControl)
    }
    #expect(store.current().dictationKey == .leftMeta)
    #expect(backing.all["BlurtTriggerKeyCode"] == .number(125))
    try store.change { $0.setChoice(.off, of: .leftMeta) }
    #expect(store.current().dictationKey == Self.f13)
    try store.change { $0.setChoice(.off, of: Self.f13) }
    #expect(store.current().dictationKey == nil)
    // The first to dictate again is bound.
    try store.change { $0.setChoice(.dictate(style: nil), of: .rightAlt) }
    #expect(store.current().dictationKey == .rightAlt)
    #expect(choices(store.current()) == [.rightAlt: .dictate(style: nil)])
  }

  @Test("H-55 H-57 turning off a key that is not the bound one leaves the bound one")
  func anotherOff() throws {
    let (store, backing) = store()
    try store.change { $0.setChoice(.dictate(style: nil), of: .rightAlt) }
    try store.change { $0.setChoice(.off, of: .rightAlt) }
    #expect(store.current().dictationKey == .rightControl)
    #expect(backing.all["BlurtTriggerKeyCode"] == nil)
  }

  @Test("H-58 an action that is assigned moves: every key that had it, also by default, is off")
  func assign() throws {
    let (store, _) = store()
    try store.change(canReadAloud: true) { $0.assign(.readAloud, to: .leftMeta) }
    var now = store.current(canReadAloud: true)
    #expect(choices(now) == [.rightControl: .dictate(style: nil), .leftMeta: .readAloud])
    try store.change(canReadAloud: true) {
      $0.setChoice(.dictate(style: nil), of: Self.f13)
      $0.assign(.dictate(style: "mail"), to: .rightAlt)
    }
    now = store.current(canReadAloud: true)
    #expect(choices(now) == [.rightAlt: .dictate(style: "mail"), .leftMeta: .readAloud])
    #expect(now.dictationKey == .rightAlt)
    try store.change(canReadAloud: true) { $0.assign(.off, to: .leftMeta) }
    #expect(choices(store.current(canReadAloud: true)) == [.rightAlt: .dictate(style: "mail")])
    // The bound key gets another action: nothing dictates.
    try store.change(canReadAloud: true) { $0.assign(.ask, to: .rightAlt) }
    #expect(store.current(canReadAloud: true).dictationKey == nil)
  }

  @Test("H-57 a key that is bound dictates, also one that was off, and the former one no longer does")
  func bind() throws {
    let (store, _) = store(["BlurtTriggerKeyStyles": try SettingFixtures.json(#"{"183":{"action":"off"}}"#)])
    try store.change { $0.bind(Self.f13) }
    #expect(choices(store.current()) == [Self.f13: .dictate(style: nil)])
    try store.change { $0.setChoice(.dictate(style: "mail"), of: .rightAlt) }
    try store.change { $0.bind(.rightControl) }
    #expect(choices(store.current()) == [.rightControl: .dictate(style: nil), .rightAlt: .dictate(style: "mail")])
  }

  @Test("H-58 setActivation is for every key; a key's own mode goes; a mode for one key is for it alone")
  func setActivation() throws {
    let (store, backing) = store()
    try store.change {
      $0.setActivation(.tap, of: .rightAlt)
      $0.setChoice(.dictate(style: nil), of: .rightAlt)
    }
    #expect(store.current().mode(of: .rightAlt) == .tap && store.current().mode(of: .rightControl) == .tapOrHold)
    try store.change { $0.setActivation(.hold) }
    #expect(store.current().activations.map(\.mode) == [.hold, .hold])
    #expect(
      backing.all["BlurtTriggerKeyStyles"] == (try SettingFixtures.json(#"{"100":{"action":"dictate"}}"#)))
  }

  @Test("H-58 what cannot be stored is told, and nothing that was stored is lost")
  func failingWrite() {
    let (store, backing) = store()
    backing.failing.value = ["BlurtTriggerKeyStyles"]
    #expect(throws: MemorySettings.Refusal.self) {
      try store.change { $0.setChoice(.dictate(style: nil), of: .rightAlt) }
    }
    #expect(backing.all.isEmpty)
  }

  @Test("H-57 H-58 whatever is written in whatever order: the bound key dictates as long as any key does")
  func anyOrder() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let (store, _) = store()
      for _ in 0..<12 {
        let key = TriggerKey.all.randomElement(using: &generator) ?? .default
        let kind = Int.random(in: 0..<6, using: &generator)
        try store.change(canReadAloud: true) { bindings in
          switch kind {
          case 0, 1: bindings.setChoice(.off, of: bindings.dictationKey ?? key)
          case 2: bindings.setChoice(.dictate(style: "s"), of: key)
          case 3: bindings.assign(.dictate(style: nil), to: key)
          case 4: bindings.assign(.readAloud, to: key)
          default: bindings.bind(key)
          }
        }
        let now = store.current(canReadAloud: true)
        let dictating = now.all.filter(\.choice.dictates).map(\.key)
        #expect((now.dictationKey == nil) == dictating.isEmpty)
        if let bound = now.dictationKey { #expect(dictating.contains(bound)) }
        #expect(now.all.filter(\.isBound).count <= 1)
        #expect(now.activations.first?.keyCode == now.dictationKey?.code)
        #expect(now.activations.count == dictating.count)
      }
    }
  }

  // MARK: The style of a press

  @Test("H-59 the bound key dictates in the active style, another one in its own, and a command in the active one")
  func styles() throws {
    let backing = MemorySettings([
      "BlurtStyleProfiles": try SettingFixtures.json(
        #"[{"id":"mail","name":"Mail","instructions":"As a letter."},{"id":"code","name":"Code","instructions":"Tersely."}]"#
      ),
      "BlurtActiveStyleProfile": .string("code"),
      "BlurtTriggerKeyStyles": try SettingFixtures.json(
        #"{"97":{"action":"dictate","style":"mail"},"100":{"action":"dictate","style":"mail"},"#
          + #""183":{"action":"dictate"},"125":{"action":"dictate","style":"gone"},"126":{"action":"off"}}"#),
    ])
    let settings = Settings(backing: backing)
    #expect(settings.dictationStyle(ofKey: 97)?.name == "Code")
    #expect(settings.dictationStyle(ofKey: 100) == DictationStyle(name: "Mail", instructions: "As a letter."))
    #expect(settings.dictationStyle(ofKey: 183) == nil)
    #expect(settings.dictationStyle(ofKey: 125) == nil)
    #expect(settings.dictationStyle(ofKey: nil)?.name == "Code")
    // A client may name a key that does not dictate, or none that there is.
    #expect(settings.dictationStyle(ofKey: 126)?.name == "Code")
    #expect(settings.dictationStyle(ofKey: 30)?.name == "Code")
    // P-37: the name is not shown while rewriting is off.
    backing.put(.bool(false), forKey: "BlurtEnhancedTranscripts")
    #expect(settings.dictationStyle(ofKey: 100) == DictationStyle(name: nil, instructions: "As a letter."))
  }

  // MARK: The form

  @Test("P-22 what a person hands in may name keys, is stored by codes, and is refused by the key's name")
  func handedIn() throws {
    func normalise(_ json: String) throws -> Result<SettingValue, SettingRefusal> {
      TriggerKeyStyleStore.normalise(try SettingFixtures.json(json))
    }
    #expect(
      try normalise(
        #"{"KEY_RIGHTALT":{"action":"dictate","style":"mail","activation":"hold"},"leftalt":{"action":"off"}}"#
      ).value
        == SettingFixtures.json(
          #"{"100":{"action":"dictate","style":"mail","activation":"Hold"},"56":{"action":"off"}}"#))
    #expect(
      try normalise(#"{"97":{"activation":"Tap"}}"#).value == SettingFixtures.json(#"{"97":{"activation":"Tap"}}"#))
    #expect(try normalise("[]").sentence?.contains("object") == true)
    #expect(try normalise(#"{"KEY_A":{"action":"off"}}"#).sentence?.contains("\"KEY_A\" writes") == true)
    #expect(
      try normalise(#"{"rightctlr":{"action":"off"}}"#).sentence?.contains("perhaps KEY_RIGHTCTRL was meant") == true)
    #expect(try normalise(#"{"97":"off"}"#).sentence?.contains("Right Ctrl") == true)
    #expect(try normalise(#"{"97":{}}"#).sentence?.contains("no \"action\"") == true)
    #expect(try normalise(#"{"97":{"action":"sing"}}"#).sentence?.contains("off, dictate, readAloud, ask") == true)
    #expect(
      try normalise(#"{"97":{"action":"off","activation":"x"}}"#).sentence?.contains("TapOrHold, Tap, Hold") == true)
    #expect(try normalise(#"{"97":{"action":"off","style":"mail"}}"#).sentence?.contains("only \"dictate\"") == true)
    #expect(
      try normalise(#"{"97":{"action":"off"},"KEY_RIGHTCTRL":{"action":"off"}}"#).sentence?.contains("twice") == true)
  }

  @Test("H-64 to read aloud or to ask is refused while nothing can speak, and says so; where it is stored it stays")
  func noSpeechService() throws {
    for action in ["readAloud", "ask"] {
      let value = try SettingFixtures.json(#"{"56":{"action":"\#(action)"}}"#)
      #expect(TriggerKeyStyleStore.normalise(value).sentence?.contains("no speech service") == true)
      #expect(TriggerKeyStyleStore.salvage(value) == value)
    }
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
