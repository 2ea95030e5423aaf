import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct StyleProfileStoreTests {
  private static let mail = StyleProfile(id: "mail", name: "Mail", instructions: "Be formal.")
  private static let chat = StyleProfile(id: "chat", name: "Chat", instructions: "Be brief.")

  private func store(_ values: [String: SettingValue]) -> StyleProfileStore {
    StyleProfileStore(backing: MemorySettings(values))
  }

  private func object(_ id: String, _ name: String, _ instructions: String) -> SettingValue {
    .object(["id": .string(id), "name": .string(name), "instructions": .string(instructions)])
  }

  private var two: [String: SettingValue] {
    ["BlurtStyleProfiles": .list([object("mail", "Mail", "Be formal."), object("chat", "Chat", "Be brief.")])]
  }

  private func active(_ pointer: SettingValue?) -> StyleProfile? {
    var values = two
    values["BlurtActiveStyleProfile"] = pointer
    return store(values).activeProfile
  }

  // MARK: Reading

  @Test("P-17 P-32 nothing stored means no profiles, no pointer and the base instruction")
  func unset() {
    let store = store([:])
    #expect(store.profiles.isEmpty)
    #expect(store.active == .unset)
    #expect(store.activeProfile == nil)
    #expect(store.dictationStyle(isEnhanced: true) == nil)
  }

  @Test("P-06 P-17 the list is read as it stands in the file, member order and unknown members aside")
  func stored() throws {
    let value = try SettingFixtures.json(
      #"[{"instructions":" Be formal.\n","id":"mail","name":" Mail "},"#
        + #"{"id":"chat","name":"Chat","instructions":"Be brief.","colour":"red"}]"#)
    #expect(store(["BlurtStyleProfiles": value]).profiles == [Self.mail, Self.chat])
    #expect(
      StyleProfileStore(backing: MemorySettings(["OtherStyleProfiles": value]), prefix: "Other").profiles.count == 2)
  }

  @Test("P-07 P-35 a list that cannot be read is none, hides the older style, and is not written over")
  func undecodable() {
    for value in SettingFixtures.wrongTypes + [.list([.object(["id": .string("a"), "name": .string("A")])])] {
      let backing = MemorySettings(["BlurtStyleProfiles": value, "BlurtCustomStyle": .string("Old.")])
      let store = StyleProfileStore(backing: backing)
      #expect(store.profiles.isEmpty, "\(value)")
      #expect(store.activeProfile == nil)
      #expect(backing.all["BlurtStyleProfiles"] == value)
      #expect(backing.writes.value.isEmpty)
    }
  }

  @Test("P-07 a broken list is replaced once the user writes")
  func overwritten() throws {
    let backing = MemorySettings(["BlurtStyleProfiles": .string("rubbish")])
    try StyleProfileStore(backing: backing).save([Self.mail])
    #expect(StyleProfileStore(backing: backing).profiles == [Self.mail])
  }

  @Test("P-31 at most four; a name is cut to 24 characters, a blank one is Style; ids are unique")
  func normalised() throws {
    let family = "👨‍👩‍👦"
    let store = store([
      "BlurtStyleProfiles": .list([
        object("a", " \n", "x"), object("b", String(repeating: family, count: 25), "x"),
        object("a", "again", "x"), object("default", "base", "x"), object(" ", "none", "x"),
        object("c", String(repeating: "n", count: 23) + " end", "x"), object("d", "D", "x"), object("e", "E", "x"),
      ])
    ])
    #expect(store.profiles.map(\.id) == ["a", "b", "c", "d"])
    #expect(
      store.profiles.map(\.name)
        == ["Style", String(repeating: family, count: 24), String(repeating: "n", count: 23), "D"])
    #expect(StyleProfileStore.countLimit == 4 && StyleProfile.nameLimit == 24)
  }

  @Test("P-31 P-30 T-58 instructions are cut to the style's budget at a whole character")
  func budget() throws {
    let limit = CleanupInstruction.styleByteLimit
    let fitting = String(repeating: "a", count: limit - 2)
    let store = store(["BlurtStyleProfiles": .list([object("a", "A", "  " + fitting + "👨‍👩‍👦 ")])])
    #expect(store.profiles.first?.instructions == fitting)
    let sent = CleanupInstruction.sendable(style: store.profiles.first?.instructions)
    #expect(sent?.hasSuffix(fitting) == true)
  }

  // MARK: The active one

  @Test("P-32 unset means the first, the sentinel the base, an id that profile, a stale one the first")
  func pointer() {
    #expect(active(nil) == Self.mail)
    #expect(active(.string("default")) == nil)
    #expect(active(.string("chat")) == Self.chat)
    #expect(active(.string(" chat\n")) == Self.chat)
    #expect(active(.string("gone")) == Self.mail)
  }

  @Test("P-07 P-32 a pointer of the wrong type or a blank one is as good as unset")
  func pointerOfWrongType() {
    for value in SettingFixtures.wrongTypes + [.string(""), .string(" ")] where value != .string("x") {
      #expect(active(value) == Self.mail, "\(value)")
    }
  }

  @Test("P-36 after the active one was deleted the first remaining is active, and after the last the base")
  func deletion() throws {
    let backing = MemorySettings(two)
    let store = StyleProfileStore(backing: backing)
    try store.activate(.profile(id: "chat"))
    try store.remove(id: "chat")
    #expect(store.activeProfile == Self.mail)
    #expect(store.active == .profile(id: "chat"))
    try store.remove(id: "mail")
    #expect(store.activeProfile == nil)
    #expect(backing.all["BlurtStyleProfiles"] == .list([]))
  }

  @Test("P-33 the base that was chosen is stored as the sentinel and stays, whatever profiles come")
  func base() throws {
    let backing = MemorySettings()
    let store = StyleProfileStore(backing: backing)
    try store.activate(.base)
    #expect(backing.all["BlurtActiveStyleProfile"] == .string("default"))
    try store.save([Self.mail])
    #expect(store.activeProfile == nil)
    try store.activate(.unset)
    #expect(backing.all["BlurtActiveStyleProfile"] == nil)
    #expect(store.activeProfile == Self.mail)
  }

  // MARK: The older style

  @Test("P-35 an older style is one active profile, Custom, and is never written")
  func legacy() throws {
    let backing = MemorySettings(["BlurtCustomStyle": .string(" Old words. ")])
    let store = StyleProfileStore(backing: backing)
    let legacy = StyleProfile(id: "custom", name: "Custom", instructions: "Old words.")
    #expect(store.profiles == [legacy])
    #expect(store.activeProfile == legacy)
    #expect(backing.writes.value.isEmpty)
    try store.save([legacy, Self.mail])
    #expect(backing.writes.value == ["BlurtStyleProfiles"])
    #expect(backing.all["BlurtCustomStyle"] == .string(" Old words. "))
  }

  @Test("P-35 a stored list hides it, an empty one as well; blank text or a wrong type is none")
  func legacyHidden() {
    #expect(store(["BlurtStyleProfiles": .list([]), "BlurtCustomStyle": .string("Old.")]).profiles.isEmpty)
    #expect(store(["BlurtCustomStyle": .string(" \n")]).profiles.isEmpty)
    #expect(store(["BlurtCustomStyle": .number(1)]).profiles.isEmpty)
  }

  @Test("P-33 P-35 an older style can be turned off and stays off; deleted, it does not come back")
  func legacyOff() throws {
    let backing = MemorySettings(["BlurtCustomStyle": .string("Old.")])
    let store = StyleProfileStore(backing: backing)
    try store.activate(.base)
    #expect(store.activeProfile == nil)
    try store.activate(.unset)
    try store.remove(id: StyleProfileStore.legacyID)
    #expect(store.profiles.isEmpty)
    #expect(store.activeProfile == nil)
  }

  // MARK: What a dictation is given

  @Test(
    "P-37 P-38 the profile's name is the display style, but not while rewriting is off; the style is sent either way")
  func dictationStyle() {
    let store = store(two)
    #expect(
      store.dictationStyle(isEnhanced: true) == DictationStyle(name: "Mail", instructions: "Be formal."))
    #expect(store.dictationStyle(isEnhanced: false) == DictationStyle(name: nil, instructions: "Be formal."))
  }

  @Test("P-34 an active profile with blank instructions sends the base instruction unchanged")
  func blankInstructions() {
    let style = store(["BlurtStyleProfiles": .list([object("a", "A", " \n ")])]).dictationStyle(isEnhanced: true)
    #expect(style == DictationStyle(name: "A", instructions: nil))
    #expect(CleanupInstruction.sendable(style: style?.instructions) == CleanupInstruction.base)
  }

  @Test("H-59 the bound key has the active style, another dictating key its own, and a style that is gone is the base")
  func keys() {
    var values = two
    values["BlurtActiveStyleProfile"] = .string("chat")
    let store = store(values)
    func name(_ choice: TriggerKeyChoice, bound: Bool = false) -> String? {
      store.dictationStyle(of: choice, isBoundKey: bound, isEnhanced: true)?.name
    }
    #expect(name(.dictate(style: "mail"), bound: true) == "Chat")
    #expect(name(.dictate(style: "mail")) == "Mail")
    #expect(name(.dictate(style: nil)) == nil)
    #expect(name(.dictate(style: "gone")) == nil)
    #expect(name(.readAloud) == nil)
  }

  // MARK: Writing

  @Test("P-06 what is saved is normalised, and is read back the same")
  func saved() throws {
    let backing = MemorySettings()
    let store = StyleProfileStore(backing: backing)
    let five = (1...5).map { StyleProfile(id: " \($0) ", name: "", instructions: " do \($0) ") }
    try store.save(five)
    #expect(
      backing.all["BlurtStyleProfiles"]
        == .list((1...4).map { object("\($0)", "Style", "do \($0)") }))
    #expect(store.profiles == five.prefix(4).map(\.normalised))
  }

  @Test("P-06 a backing that cannot be written says so, and one that fails keeps the old value")
  func failing() throws {
    let refusal = #expect(throws: SettingRefusal.self) {
      try StyleProfileStore(backing: SettingFixtures.ReadOnly()).save([Self.mail])
    }
    #expect(refusal?.reason.contains("read only") == true)
    let backing = MemorySettings(two)
    backing.failing.value = ["BlurtStyleProfiles"]
    #expect(throws: MemorySettings.Refusal.self) { try StyleProfileStore(backing: backing).save([]) }
    #expect(StyleProfileStore(backing: backing).profiles.count == 2)
  }

  // MARK: What a person hands in

  @Test("P-31 a list from a person is trimmed, gets names and ids, and is stored sorted out")
  func handedIn() throws {
    let value = try SettingFixtures.json(
      #"[{"name":" E-mail to Ann! ","instructions":" Be formal. "},{"name":"e mail to ann","instructions":""},"#
        + #"{"id":" mine ","name":"","instructions":"x"},{"name":"日本","instructions":"x"}]"#)
    #expect(
      StyleProfileStore.normalise(value).value
        == .list([
          object("e-mail-to-ann", "E-mail to Ann!", "Be formal."), object("e-mail-to-ann-2", "e mail to ann", ""),
          object("mine", "Style", "x"), object("style", "日本", "x"),
        ]))
    let once = try #require(StyleProfileStore.normalise(value).value)
    #expect(StyleProfileStore.normalise(once).value == once)
    let reserved = try SettingFixtures.json(#"[{"name":"Default","instructions":"x"}]"#)
    #expect(StyleProfileStore.normalise(reserved).value == .list([object("default-2", "Default", "x")]))
  }

  @Test("P-31 T-58 what does not fit is refused by the number of the style, with the limit")
  func refused() throws {
    func sentence(_ json: String) throws -> String? {
      StyleProfileStore.normalise(try SettingFixtures.json(json)).sentence
    }
    let entry = #"{"name":"A","instructions":"x"}"#
    #expect(try sentence("{}")?.contains("list") == true)
    #expect(try sentence("[" + Array(repeating: entry, count: 5).joined(separator: ",") + "]")?.contains("4") == true)
    #expect(try sentence("[\(entry),3]")?.contains("style 2") == true)
    #expect(try sentence("[\(entry),{\"instructions\":\"x\"}]")?.contains("style 2 has no \"name\"") == true)
    #expect(try sentence(#"[{"name":"A"}]"#)?.contains("style 1 has no \"instructions\"") == true)
    #expect(try sentence(#"[{"name":1,"instructions":"x"}]"#)?.contains("quotation marks") == true)
    #expect(try sentence(#"[{"name":"A","instructions":"x","instruction":"y"}]"#)?.contains("\"instruction\"") == true)
    #expect(
      try sentence(#"[{"id":"default","name":"A","instructions":"x"}]"#)?.contains("means no style") == true)
    #expect(
      try sentence(#"[{"id":"a","name":"A","instructions":"x"},{"id":" a","name":"B","instructions":"x"}]"#)?
        .contains("style 2 has the same id as style 1") == true)
    let longName = String(repeating: "n", count: 25)
    #expect(try sentence("[{\"name\":\"\(longName)\",\"instructions\":\"x\"}]")?.contains("24") == true)
    let longID = String(repeating: "i", count: 65)
    #expect(try sentence("[{\"id\":\"\(longID)\",\"name\":\"A\",\"instructions\":\"x\"}]")?.contains("64") == true)
    let long = String(repeating: "é", count: CleanupInstruction.styleByteLimit / 2 + 1)
    #expect(
      try sentence("[{\"name\":\"A\",\"instructions\":\"\(long)\"}]")?
        .contains("at most \(CleanupInstruction.styleByteLimit)") == true)
  }

  @Test("P-32 a pointer from a person is an id or the sentinel")
  func handedInPointer() {
    #expect(StyleProfileStore.normaliseActive(.string(" mail ")).value == .string("mail"))
    #expect(StyleProfileStore.normaliseActive(.string("default")).value == .string("default"))
    for value in [SettingValue.string(" "), .number(1), .list([]), .string(String(repeating: "i", count: 65))] {
      #expect(StyleProfileStore.normaliseActive(value).sentence?.contains("default") == true)
    }
  }

  @Test(
    "P-07 P-31 of a stored list that is refused as a new one the usable part counts, of one that cannot be read nothing"
  )
  func salvage() throws {
    let stored = try SettingFixtures.json(
      #"[{"id":"a","name":"A","instructions":"x","colour":1},{"id":"default","name":"B","instructions":"x"}]"#)
    #expect(StyleProfileStore.normalise(stored).sentence != nil)
    #expect(StyleProfileStore.salvage(stored) == .list([object("a", "A", "x")]))
    for value in SettingFixtures.wrongTypes { #expect(StyleProfileStore.salvage(value) == nil) }
  }
}
