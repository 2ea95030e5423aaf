import Testing

@testable import BlurtEngine

@Suite struct SettingEntriesTests {
  private func shortcut(_ trigger: String, _ expansion: String) -> SettingValue {
    .object(["trigger": .string(trigger), "expansion": .string(expansion)])
  }
  private func style(_ id: String?, _ name: String) -> SettingValue {
    var members: [String: SettingValue] = ["name": .string(name), "instructions": .string("x")]
    members["id"] = id.map { .string($0) }
    return .object(members)
  }

  private func change(
    _ key: SettingsKey, _ value: SettingValue?, put: SettingValue? = nil, remove: [String] = [],
    expected: SettingValue? = nil
  ) throws -> SettingEntries.Outcome {
    let entries = try #require(SettingsCatalogue.row(key).entries)
    return entries.changing(value, putting: put, removing: remove, expected: expected)
  }

  @Test("P-40 a shortcut takes the place of the one whose trigger means the same, else it comes last")
  func shortcuts() throws {
    let value = SettingValue.list([shortcut("my mail", "a"), shortcut("sig", "b")])
    #expect(
      try change(
        .textShortcuts, value, put: .list([shortcut("New", "c"), shortcut("My-Mail!", "d")]), remove: ["SIG", "no"])
        == .changed(.list([shortcut("My-Mail!", "d"), shortcut("New", "c")])))
    #expect(try change(.textShortcuts, nil, put: .list([shortcut("a", "b")])) == .changed(.list([shortcut("a", "b")])))
  }

  @Test("P-09 entries are changed only while those with their names stand as expected; the others do not matter")
  func expected() throws {
    let value = SettingValue.list([shortcut("a", "1"), shortcut("b", "2")])
    let put = SettingValue.list([shortcut("A", "3")])
    #expect(try change(.textShortcuts, value, put: put, expected: .list([])) == .conflict)
    #expect(try change(.textShortcuts, value, put: put, expected: .list([shortcut("a", "0")])) == .conflict)
    #expect(
      try change(.textShortcuts, value, put: put, expected: .list([shortcut("a", "1"), shortcut("b", "2")]))
        == .conflict)
    #expect(
      try change(.textShortcuts, value, put: put, expected: .list([shortcut("a", "1")]))
        == .changed(.list([shortcut("A", "3"), shortcut("b", "2")])))
    #expect(
      try change(.textShortcuts, value, remove: ["c"], expected: .list([])) == .changed(value))
  }

  @Test("P-31 a style is named by its id or its name; one without an id keeps that of its name")
  func styles() throws {
    let value = SettingValue.list([style("work", "Work"), style("chat", "Chat")])
    #expect(
      try change(.styleProfiles, value, put: .list([style(nil, "CHAT"), style("work", "Office")]))
        == .changed(.list([style("work", "Office"), style("chat", "CHAT")])))
    #expect(
      try change(.styleProfiles, value, put: .list([style("other", "Work")]), remove: ["Chat"])
        == .changed(.list([style("work", "Work"), style("other", "Work")])))
  }

  @Test("P-18 key terms are changed as a list of texts and stored as one")
  func terms() throws {
    #expect(
      try change(
        .keyTerms, .string("Blurt, Zig"), put: .list([.string("zig"), .string("New York")]), remove: ["BLURT"],
        expected: .list([.string("Blurt"), .string("Zig")])) == .changed(.string("zig, New York")))
    guard case .refused = try change(.keyTerms, .string(""), put: .list([.string("a, b")])) else {
      Issue.record("a term with a comma was taken")
      return
    }
  }

  @Test("P-22 members of an object are its entries; a trigger key is one whether named or numbered")
  func members() throws {
    let chords = SettingValue.object(["kitty": .string("ctrl+shift+v"), "xterm": .string("never")])
    #expect(
      try change(
        .pasteChords, chords, put: .object(["Kitty": .string("never")]), remove: ["xterm"],
        expected: .object(["xterm": .string("never")]))
        == .changed(.object(["kitty": .string("ctrl+shift+v"), "Kitty": .string("never")])))
    #expect(
      try change(.triggerKeySounds, .object(["97": .string("old")]), put: .object(["KEY_RIGHTCTRL": .string("new")]))
        == .changed(.object(["KEY_RIGHTCTRL": .string("new")])))
  }

  @Test("P-06 every setting that is a list or an object has entries, and what is no collection is refused")
  func rows() throws {
    // A command line has an order and fits into a request: it is set as a whole.
    for row in SettingsCatalogue.rows where row.type == .list || row.type == .object {
      #expect((row.entries != nil) == (row.key != .engineCommand), "\(row.key)")
    }
    #expect(SettingsCatalogue.row(.keepAudio).entries == nil)
    guard case .refused = try change(.textShortcuts, nil, put: .object([:])) else {
      Issue.record("an object was taken for a list")
      return
    }
  }
}
