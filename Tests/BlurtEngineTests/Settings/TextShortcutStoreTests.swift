import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TextShortcutStoreTests {
  private static let name = "BlurtTextShortcuts"

  private func object(_ trigger: String, _ expansion: String) -> SettingValue {
    .object(["trigger": .string(trigger), "expansion": .string(expansion)])
  }

  private func shortcuts(_ values: [SettingValue]) -> [TextShortcut] {
    TextShortcutStore(backing: MemorySettings([Self.name: .list(values)])).shortcuts
  }

  @Test("P-20 unset means none; a stored list is read in its order, unknown members aside")
  func reading() throws {
    #expect(TextShortcutStore(backing: MemorySettings()).shortcuts.isEmpty)
    let value = try SettingFixtures.json(
      #"[{"trigger":" my mail ","expansion":" a@b.c\n","note":1},{"trigger":"sig","expansion":"Ann"}]"#)
    #expect(
      TextShortcutStore(backing: MemorySettings([Self.name: value])).shortcuts == [
        TextShortcut(trigger: "my mail", expansion: " a@b.c\n"), TextShortcut(trigger: "sig", expansion: "Ann"),
      ])
  }

  @Test("P-07 a list that cannot be read is none and is not written over")
  func undecodable() {
    for value in SettingFixtures.wrongTypes + [.list([object("a", "b"), .object(["trigger": .string("c")])])] {
      let backing = MemorySettings([Self.name: value])
      #expect(TextShortcutStore(backing: backing).shortcuts.isEmpty, "\(value)")
      #expect(backing.all[Self.name] == value)
      #expect(backing.writes.value.isEmpty)
    }
  }

  @Test("P-39 at most 200; a trigger over 60 or an expansion over 2,000 characters is left out, not cut")
  func limits() {
    let many = shortcuts((1...205).map { object("trigger \($0)", "x") })
    #expect(many.count == 200)
    #expect(many.last?.trigger == "trigger 200")
    let family = "👨‍👩‍👦"
    let kept = shortcuts([
      object(String(repeating: "a", count: 60), String(repeating: family, count: 2_000)),
      object(String(repeating: "b", count: 61), "x"), object("c", String(repeating: "x", count: 2_001)),
      object("  " + String(repeating: "d", count: 60) + "  ", "x"),
    ])
    #expect(kept.map { $0.trigger.first } == ["a", "d"])
  }

  @Test("P-40 blank and unmatchable triggers and blank expansions are dropped")
  func unusable() {
    #expect(
      shortcuts([
        object("", "x"), object(" \n", "x"), object("…", "x"), object("+ +", "x"), object("👍", "x"), object("a", ""),
        object("b", " \n\u{A0}"), object("c", "x"),
      ]).map(\.trigger) == ["c"])
  }

  @Test("P-40 of triggers with the same match key the first wins; word boundaries are part of the key")
  func duplicates() {
    #expect(
      shortcuts([
        object("My e-mail", "1"), object("my E mail!", "2"), object("my email", "3"), object("MY, E.MAIL", "4"),
        object("myemail", "5"),
      ]).map(\.expansion) == ["1", "3", "5"])
  }

  private static let keys: [(trigger: String, key: [String])] = [
    ("My E-Mail 2", ["my", "e", "mail", "2"]), ("don't", ["don", "t"]), ("  ", []), ("Straße", ["strasse"]),
    ("İstanbul", ["istanbul"]), ("ΟΔΟΣ οδός", ["οδοσ", "οδόσ"]), ("Cafe\u{301}", ["café"]), ("ﬁne", ["fine"]),
  ]

  @Test("P-40 the match key is the trigger's letters and digits, in one case, word by word", arguments: keys)
  func matchKey(trigger: String, key: [String]) {
    #expect(TextShortcut(trigger: trigger, expansion: "x").matchKey == key)
  }

  @Test("P-06 what is saved is normalised, and is read back the same")
  func saving() throws {
    let backing = MemorySettings()
    let store = TextShortcutStore(backing: backing)
    try store.save([
      TextShortcut(trigger: " a ", expansion: " x "), TextShortcut(trigger: "A", expansion: "y"),
      TextShortcut(trigger: "b", expansion: " "),
    ])
    #expect(backing.all == [Self.name: .list([object("a", " x ")])])
    #expect(store.shortcuts == [TextShortcut(trigger: "a", expansion: " x ")])
  }

  @Test("P-39 P-40 a list from a person is taken as it is but for blanks around triggers")
  func handedIn() {
    let value = TextShortcutStore.normalise(.list([object(" My mail ", " a ")])).value
    #expect(value == .list([object("My mail", " a ")]))
    #expect(value.flatMap { TextShortcutStore.normalise($0).value } == value)
    #expect(TextShortcutStore.normalise(.list([])).value == .list([]))
  }

  @Test("P-39 P-40 P-45 what cannot be used is refused by its number, with the limit, without its text")
  func refused() {
    func sentence(_ values: [SettingValue]) -> String? { TextShortcutStore.normalise(.list(values)).sentence }
    let good = object("secret", "hidden")
    #expect(TextShortcutStore.normalise(.string("x")).sentence?.contains("list") == true)
    #expect(sentence((1...201).map { object("t\($0)", "x") })?.contains("200") == true)
    #expect(sentence([good, .number(1)])?.contains("shortcut 2") == true)
    #expect(sentence([good, .object(["trigger": .string("a")])])?.contains("no \"expansion\"") == true)
    #expect(sentence([good, object("…", "x")])?.contains("letter or a digit") == true)
    #expect(sentence([good, object("a", "\n")])?.contains("blank expansion") == true)
    #expect(sentence([good, object(String(repeating: "a", count: 61), "x")])?.contains("60") == true)
    #expect(sentence([good, object("a", String(repeating: "a", count: 2_001))])?.contains("2000") == true)
    #expect(
      sentence([good, object("a", "x"), object("SECRET!", "y")])?
        .contains("shortcut 3 has the same trigger as shortcut 1") == true)
    #expect(sentence([.object(["trigger": .string("a"), "expansion": .string("b"), "text": .bool(true)])]) != nil)
    for values in [
      [good, object("secret", "hidden")], [good, object(String(repeating: "secret", count: 20), "hidden")],
    ] {
      let sentence = sentence(values) ?? "secret"
      #expect(!sentence.contains("secret") && !sentence.contains("hidden"))
    }
  }

  @Test(
    "P-07 P-40 of a stored list that is refused as a new one the usable part counts, of one that cannot be read nothing"
  )
  func salvage() {
    let stored = SettingValue.list([object(" a ", "x"), object("A", "y"), object("…", "z")])
    #expect(TextShortcutStore.normalise(stored).sentence != nil)
    #expect(TextShortcutStore.salvage(stored) == .list([object("a", "x")]))
    for value in SettingFixtures.wrongTypes { #expect(TextShortcutStore.salvage(value) == nil) }
  }
}
