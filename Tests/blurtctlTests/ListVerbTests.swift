import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

@testable import blurtctl

/// `terms`, `styles` and `shortcuts`.
@Suite(.timeLimit(.minutes(1))) struct ListVerbTests {
  private static func entry(
    _ setting: String, _ value: JSONValue, _ defaultValue: JSONValue, _ limits: [String: Int]? = nil
  ) -> SettingEntry {
    SettingEntry(
      setting: setting, type: "list", value: value, defaultValue: defaultValue, isSet: value != defaultValue,
      summary: "", hasEntries: true, limits: limits)
  }

  /// The setting as the daemon has it, as a list.
  private func styles(_ daemon: FakeDaemon) -> [Style] {
    StyleList(Self.entry("BlurtStyleProfiles", daemon.value("BlurtStyleProfiles") ?? .null, .null)).styles
  }

  private func list(_ shortcuts: [Shortcut]) -> ShortcutList {
    ShortcutList(Self.entry("BlurtTextShortcuts", .array(shortcuts.map(\.json)), .null))
  }

  private func with(
    terms: JSONValue = .null, styles: [Style] = [], active: JSONValue = .null, shortcuts: [Shortcut] = [],
    onWrite: @escaping @Sendable (FakeDaemon, Int) -> Void = { _, _ in }, _ body: (FakeDaemon) async throws -> Void
  ) async throws {
    let daemon = try FakeDaemon(
      FakeDaemon.Script(
        settings: [
          Self.entry("BlurtKeyTerms", terms, .null),
          Self.entry(
            "BlurtStyleProfiles", .array(styles.map(\.json)), .array([]),
            ["entries": 4, "id": 64, "name": 24, "instructionsBytes": 1500]),
          Self.entry("BlurtActiveStyleProfile", active, .null),
          Self.entry(
            "BlurtTextShortcuts", .array(shortcuts.map(\.json)), .array([]),
            ["entries": 200, "trigger": 60, "expansion": 2000]),
        ], onWrite: onWrite))
    defer { daemon.stop() }
    try await body(daemon)
  }

  private func file(_ text: String, _ name: String, in daemon: FakeDaemon) throws -> String {
    let path = daemon.folder.file(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  // MARK: terms

  @Test("P-18 terms are split at commas, trimmed, and kept once, in the first spelling")
  func terms() async throws {
    try await with(terms: " Blurt,, Kubernetes , blurt") { daemon in
      #expect(await daemon.run("terms").out == "Blurt\nKubernetes\n")
      #expect(await daemon.run("terms list --names", terminal: false).out == "Blurt\nKubernetes\n")
      let added = await daemon.run(["terms", "add", "New York", "KUBERNETES", "a, b"])
      #expect(added.out == "There are 5 terms now.\n" && added.err == "Already there: KUBERNETES.\n")
      #expect(daemon.value("BlurtKeyTerms") == "Blurt, Kubernetes, New York, a, b")
      let removed = await daemon.run(["terms", "remove", "new york", "x"])
      #expect(removed.status == .done && removed.err == "Not there: x.\n")
      #expect(await daemon.run("terms remove x y").status == .nothingToActOn)
      #expect(daemon.value("BlurtKeyTerms") == "Blurt, Kubernetes, a, b")
      #expect(await daemon.run("terms set one two,one").out == "There are 2 terms now.\n")
      #expect(daemon.value("BlurtKeyTerms") == "one, two")
      #expect(await daemon.run(["terms", "add", " , "]).status == .usage)
      #expect(await daemon.run("terms remove one two").out == "There are 0 terms now.\n")
      #expect(daemon.value("BlurtKeyTerms") == .null)
      #expect(await daemon.run("terms").out == "There are no terms.\n")
      _ = await daemon.run("terms set x")
      #expect(await daemon.run("terms clear").status == .done)
      #expect(daemon.value("BlurtKeyTerms") == .null)
    }
  }

  @Test("P-09 what another client wrote meanwhile is kept: the change is made once more on what it left")
  func conflict() async throws {
    let race: @Sendable (FakeDaemon, Int) -> Void = { daemon, count in
      if count == 0 { daemon.write("BlurtKeyTerms", "theirs") }
    }
    try await with(terms: "old", onWrite: race) { daemon in
      #expect(await daemon.run("terms add ours").status == .done)
      #expect(daemon.value("BlurtKeyTerms") == "theirs, ours")
      let writes = daemon.commands.filter { $0.action.name == .set }.map(\.action)
      #expect(
        writes == [
          .set(setting: "BlurtKeyTerms", value: "old, ours", expected: "old"),
          .set(setting: "BlurtKeyTerms", value: "theirs, ours", expected: "theirs"),
        ])
    }
    // Somebody who is faster each time is not fought.
    let war: @Sendable (FakeDaemon, Int) -> Void = { daemon, count in
      daemon.write("BlurtKeyTerms", .string("theirs \(count)"))
    }
    try await with(terms: "old", onWrite: war) { daemon in
      let run = await daemon.run("terms add ours --json")
      #expect(run.status == .failed && run.out.contains(#""reason":"conflict""#))
      #expect(daemon.value("BlurtKeyTerms") == "theirs 1")
    }
  }

  @Test("P-18 terms go out and come in, one a line or between commas; the old ones go only when asked")
  func termsExchange() async throws {
    try await with(terms: "Blurt, Kubernetes") { daemon in
      let path = daemon.folder.file("terms.txt")
      #expect(await daemon.run("terms export \(path)").err == "Written: \(path)\n")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "Blurt\nKubernetes\n")
      #expect(await daemon.run("terms export --json").out == #"["Blurt","Kubernetes"]"# + "\n")
      #expect(await daemon.run("terms import \(path)").out == "0 added, 0 changed, 2 unchanged, 0 left out.\n")
      let more = try file("blurt, New York\r\n\nZig\nzig", "more.txt", in: daemon)
      #expect(await daemon.run("terms import \(more)").out == "2 added, 0 changed, 1 unchanged, 0 left out.\n")
      #expect(daemon.value("BlurtKeyTerms") == "Blurt, Kubernetes, New York, Zig")
      let replaced = await daemon.run("terms import \(more) --replace")
      #expect(replaced.out == "0 added, 1 changed, 2 unchanged, 1 removed, 0 left out.\n")
      #expect(daemon.value("BlurtKeyTerms") == "blurt, New York, Zig")
    }
  }

  @Test("P-06 a file without entries removes nothing, also with --replace, and ends with 1")
  func emptyFiles() async throws {
    try await with(terms: "Blurt", styles: Self.styles, shortcuts: Self.shortcuts) { daemon in
      for (group, text, name, removal) in [
        ("shortcuts", "", "e.csv", "settings reset TextShortcuts"), ("shortcuts", "\n\n", "f.tsv", "TextShortcuts"),
        ("shortcuts", "trigger,expansion\n", "g.csv", "TextShortcuts"), ("shortcuts", "[]", "h.json", "TextShortcuts"),
        ("styles", "[]", "i.json", "settings reset StyleProfiles"), ("terms", " ,\n", "j.txt", "terms clear"),
      ] {
        let path = try file(text, name, in: daemon)
        let run = await daemon.run("\(group) import \(path) --replace")
        #expect(run.status == .failed && run.out == "", "\(name)")
        #expect(run.err.contains("has no entries; nothing was changed. To remove all: blurtctl "), "\(name)")
        #expect(run.err.contains(removal), "\(name)")
        #expect(await daemon.run("\(group) import \(path)").status == .failed)
      }
      #expect(!daemon.commands.contains { $0.action.name == .set || $0.action.name == .unset })
    }
  }

  // MARK: styles

  private static let styles = [
    Style(id: "work", name: "Work", instructions: "Formal."), Style(id: "chat", name: "Chat", instructions: "Short."),
  ]

  @Test("P-32 styles list marks the one that is used: the first when none is chosen, none for the base style")
  func stylesList() async throws {
    for (pointer, marked) in [(JSONValue.null, "Work"), ("chat", "Chat"), ("gone", "Work"), ("default", "default")] {
      try await with(styles: Self.styles, active: pointer) { daemon in
        let run = await daemon.run("styles")
        #expect(run.out.split(separator: "\n").filter { $0.hasPrefix("* ") }.count == 1)
        #expect(run.out.contains("* \(marked)"), "\(pointer)")
        #expect(run.out.contains("Formal."))
      }
    }
    try await with { daemon in
      #expect(await daemon.run("styles").out == "* default  the base style alone\n")
      let json = await daemon.run("styles", terminal: false).out
      #expect(json.contains("BlurtStyleProfiles") && json.contains("BlurtActiveStyleProfile"))
      #expect(!json.contains("BlurtKeyTerms"))
    }
  }

  @Test("P-33 styles use writes the id of a style, or the sentinel for the base style")
  func stylesUse() async throws {
    try await with(styles: Self.styles) { daemon in
      for (word, value) in [("CHAT", "chat"), ("work", "work"), ("default", "default")] as [(String, JSONValue)] {
        #expect(await daemon.run("styles use \(word)").status == .done)
        #expect(daemon.value("BlurtActiveStyleProfile") == value)
      }
      let unknown = await daemon.run("styles use Wrok")
      #expect(unknown.status == .nothingToActOn && unknown.err.contains("Did you mean \"Work\"?"))
    }
  }

  @Test("P-31 styles add keeps to four styles, to names of 24 characters, and changes one only when asked")
  func stylesAdd() async throws {
    try await with(styles: Self.styles) { daemon in
      #expect(await daemon.run(["styles", "add", "Mail", "Write", "letters."]).out == "Mail is added.\n")
      #expect(await daemon.run(["styles", "add", "mail", "Other."]).status == .failed)
      #expect(await daemon.run(["styles", "add", "chat", "Longer.", "--replace"]).out == "chat is changed.\n")
      let input = Channel()
      input.send("From the\ninput.\n")
      input.end()
      #expect(await daemon.run(["styles", "add", "Four", "-"], input: input.reading).status == .done)
      #expect(
        daemon.value("BlurtStyleProfiles")
          == .array(
            [
              Self.styles[0], Style(id: "chat", name: "chat", instructions: "Longer."),
              Style(id: "", name: "Mail", instructions: "Write letters."),
              Style(id: "", name: "Four", instructions: "From the\ninput."),
            ].map(\.json)))
      let fifth = await daemon.run(["styles", "add", "Five", "x"])
      #expect(fifth.status == .failed && fifth.err.contains("remove one first"))
      for (name, text) in [("default", "x"), (" ", "x"), ("x", " "), (String(repeating: "n", count: 25), "x")] {
        #expect(await daemon.run(["styles", "add", name, text]).status == .usage, "\(name)")
      }
      #expect(await daemon.run(["styles", "remove", "Work", "nothing"]).err == "Not there: nothing.\n")
      #expect(await daemon.run(["styles", "remove", "nothing"]).status == .nothingToActOn)
    }
  }

  @Test("P-06 styles go out and come in as JSON; what is dropped is named, and nothing usable changes nothing")
  func stylesExchange() async throws {
    try await with(styles: Self.styles) { daemon in
      let exported = await daemon.run("styles export", terminal: false).out
      #expect(exported.hasPrefix("[\n  {\"id\":\"work\"") && exported.hasSuffix("}\n]\n"))
      let path = daemon.folder.file("out.json")
      #expect(await daemon.run("styles export \(path)").status == .done)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == exported)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      let text = """
        [{"name":"work","instructions":"New."}, 5, {"name":"A","instructions":"a"},
         {"name":"B","instructions":"b"}, {"name":"C","instructions":"c"}, {"name":"","instructions":"d"}]
        """
      let run = await daemon.run("styles import \(try file(text, "in.json", in: daemon))")
      #expect(run.out == "2 added, 1 changed, 3 left out.\n")
      #expect(
        run.err == """
          Entry 2 was left out: It is no object with name and instructions.
          Entry 5 was left out: There are 4 styles already: remove one first.
          Entry 6 was left out: It has no name.

          """)
      #expect(styles(daemon).map(\.id) == ["work", "chat", "", ""])
      let useless = await daemon.run(["styles", "import", try file("[1]", "no.json", in: daemon), "--replace"])
      #expect(useless.status == .failed)
      #expect(styles(daemon).count == 4)
      let replaced = await daemon.run(["styles", "import", path, "--replace", "--json"])
      #expect(replaced.out == #"{"import":{"added":0,"changed":1,"dropped":[],"removed":2,"unchanged":1}}"# + "\n")
      #expect(daemon.value("BlurtStyleProfiles") == .array(Self.styles.map(\.json)))
    }
  }

  @Test("S-151 a file that cannot be read ends with 2 and changes nothing", arguments: ["styles", "shortcuts"])
  func unreadable(_ group: String) async throws {
    try await with(styles: Self.styles) { daemon in
      let paths = [
        daemon.folder.file("nowhere.json"), daemon.folder.path, try file("[1,]", "a.json", in: daemon),
        try file("{}", "b.json", in: daemon),
      ]
      for path in paths {
        let run = await daemon.run("\(group) import \(path)")
        #expect(run.status == .usage && run.err.hasPrefix("blurtctl: \(path)"), "\(path)")
      }
      let bytes = daemon.folder.file("c.json")
      try Data([0x5B, 0xFF, 0x5D]).write(to: URL(fileURLWithPath: bytes))
      #expect(await daemon.run("\(group) import \(bytes)").err.contains("UTF-8"))
      #expect(await daemon.run("\(group) export \(daemon.folder.file("no/such/folder"))").status == .failed)
      #expect(!daemon.commands.contains { $0.action.name == .set || $0.action.name == .unset })
    }
  }

  // MARK: shortcuts

  private static let shortcuts = [
    Shortcut(trigger: "my mail", expansion: "ada@example.org"), Shortcut(trigger: "sig", expansion: "Regards,\nAda"),
  ]

  @Test("P-40 shortcuts are told apart by their letters and digits alone")
  func shortcutsEdit() async throws {
    try await with(shortcuts: Self.shortcuts) { daemon in
      #expect(await daemon.run("shortcuts").out == "my mail  ada@example.org\nsig      Regards, Ada\n")
      #expect(await daemon.run(["shortcuts", "add", "My-Mail!", "x"]).status == .failed)
      #expect(await daemon.run(["shortcuts", "add", "My-Mail!", "x", "--replace"]).out == "My-Mail! is changed.\n")
      #expect(await daemon.run(["shortcuts", "add", "mymail", "one word"]).out == "mymail is added.\n")
      let input = Channel()
      input.send("two\nlines\n")
      input.end()
      _ = await daemon.run(["shortcuts", "add", "long", "-"], input: input.reading)
      #expect(
        daemon.value("BlurtTextShortcuts")
          == .array(
            [
              Shortcut(trigger: "My-Mail!", expansion: "x"), Self.shortcuts[1],
              Shortcut(trigger: "mymail", expansion: "one word"), Shortcut(trigger: "long", expansion: "two\nlines"),
            ].map(\.json)))
      let removed = await daemon.run(["shortcuts", "remove", "my mail", "sig", "long", "MYMAIL"])
      #expect(removed.out == "Removed: My-Mail!, sig, long, mymail.\n")
      #expect(daemon.value("BlurtTextShortcuts") == .array([]))
      #expect(await daemon.run("shortcuts remove sig").status == .nothingToActOn)
      #expect(await daemon.run("shortcuts").out == "There are no shortcuts.\n")
    }
  }

  @Test("P-39 a shortcut over a limit, without a letter or without an expansion is refused, and says why")
  func shortcutLimits() async throws {
    try await with { daemon in
      for (trigger, expansion, why) in [
        ("...", "x", "no letter"), (String(repeating: "t", count: 61), "x", "60"), ("t", " \n", "blank"),
        ("t", String(repeating: "x", count: 2001), "2000"),
      ] {
        let run = await daemon.run(["shortcuts", "add", trigger, expansion])
        #expect(run.status == .usage && run.err.contains(why), "\(why)")
      }
      #expect(
        await daemon.run(["shortcuts", "add", String(repeating: "t", count: 60), String(repeating: "é", count: 2000)])
          .status == .done)
    }
    let full = (0..<200).map { Shortcut(trigger: "t\($0)", expansion: "x") }
    try await with(shortcuts: full) { daemon in
      #expect(await daemon.run("shortcuts add more x").status == .failed)
      #expect(await daemon.run("shortcuts add t7 y --replace").status == .done)
      let path = try file("new,x\nt8,z\n", "in.csv", in: daemon)
      #expect(await daemon.run("shortcuts import \(path)").out == "0 added, 1 changed, 1 left out.\n")
    }
  }

  @Test("P-39 shortcuts go out and come in as JSON, TSV and CSV without a change", arguments: ["json", "tsv", "csv"])
  func shortcutsExchange(_ format: String) async throws {
    let hard = [
      Shortcut(trigger: "quote", expansion: "She said: \"no\", twice.\tTab"),
      Shortcut(trigger: "space", expansion: " \u{1B}[1m keep "),
    ]
    try await with(shortcuts: Self.shortcuts + hard) { daemon in
      let path = daemon.folder.file("out.\(format)")
      #expect(await daemon.run("shortcuts export \(path)").err == "Written: \(path)\n")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(await daemon.run("shortcuts export --format \(format)", terminal: false).out == text)
      #expect(
        await daemon.run("shortcuts import \(path) --replace").out
          == "0 added, 0 changed, 4 unchanged, 0 removed, 0 left out.\n")
      #expect(daemon.value("BlurtTextShortcuts") == .array((Self.shortcuts + hard).map(\.json)))
      // From the input, where no name tells the form.
      let input = Channel()
      input.send(text)
      input.end()
      #expect(
        await daemon.run("shortcuts import -", input: input.reading).out
          == "0 added, 0 changed, 4 unchanged, 0 left out.\n")
      #expect(daemon.value("BlurtTextShortcuts") == .array((Self.shortcuts + hard).map(\.json)))
    }
  }

  @Test("P-40 an import names what it drops, by its number and never by its text, also in JSON")
  func shortcutsDropped() async throws {
    try await with { daemon in
      let path = try file("a\tx\nA!\ty\n...\tz\nonly\nb\t \n", "in.tsv", in: daemon)
      let run = await daemon.run("shortcuts import \(path)")
      #expect(run.status == .done && run.out == "1 added, 0 changed, 4 left out.\n")
      #expect(
        run.err == """
          Entry 2 was left out: An earlier entry has the same trigger.
          Entry 3 was left out: Its trigger has no letter and no digit.
          Entry 4 was left out: It is no trigger with an expansion.
          Entry 5 was left out: Its expansion is blank.

          """)
      let json = await daemon.run("shortcuts import \(path) --json")
      #expect(json.out.hasPrefix(#"{"import":{"added":0,"changed":0,"dropped":[{"entry":2,"#) && json.err == "")
    }
  }

  @Test("P-39 an import with --replace says how many of the old shortcuts are gone")
  func shortcutsReplaced() async throws {
    try await with(shortcuts: Self.shortcuts) { daemon in
      let path = try file("SIG,Bye\nnew,x\n", "in.csv", in: daemon)
      let run = await daemon.run("shortcuts import \(path) --replace")
      #expect(run.out == "1 added, 1 changed, 1 removed, 0 left out.\n")
    }
  }

  @Test("P-39 an import skips a first row that names the columns, and an export never begins with one by chance")
  func shortcutsHeader() async throws {
    try await with { daemon in
      for (text, name) in [("Trigger,EXPANSION\na,x\n", "a.csv"), ("trigger\texpansion\na\tx\n", "a.tsv")] {
        _ = await daemon.run("settings reset TextShortcuts")
        let path = try file(text, name, in: daemon)
        #expect(await daemon.run("shortcuts import \(path)").out == "1 added, 0 changed, 0 left out.\n")
      }
    }
    let odd = list([Shortcut(trigger: "trigger", expansion: "expansion")])
    let text = ShortcutFormat.csv.text(odd)
    #expect(try ShortcutFormat.csv.entries(text, file: "f") == odd.shortcuts)
    // A semicolon of a trigger is no separator.
    let mark = list([Shortcut(trigger: "a;b", expansion: "x;y")])
    #expect(try ShortcutFormat.csv.entries(ShortcutFormat.csv.text(mark), file: "f") == mark.shortcuts)
  }

  @Test("P-06 an open quotation mark and semicolons for commas are named with their line, and nothing is changed")
  func shortcutsMistakes() async throws {
    try await with(shortcuts: Self.shortcuts) { daemon in
      for (text, line, why) in [
        ("a,x\n\nb,\"open\nc,z\n", 3, "quotation mark"), ("trigger;expansion\na;Regards, Ada\nb;y\n", 2, "semicolon"),
        ("\"a\";\"x\"\n", 1, "semicolon"),
      ] {
        let path = try file(text, "in.csv", in: daemon)
        let run = await daemon.run("shortcuts import \(path) --replace")
        #expect(run.status == .usage && run.err.contains("\(path), line \(line): ") && run.err.contains(why), "\(text)")
      }
      #expect(!daemon.commands.contains { $0.action.name == .set || $0.action.name == .unset })
    }
  }

  @Test("P-40 of more than ten entries that were left out the first ten are named and the others counted")
  func manyDropped() async throws {
    try await with { daemon in
      let path = try file("a,x\n" + String(repeating: "...,x\n", count: 14), "in.csv", in: daemon)
      let run = await daemon.run("shortcuts import \(path)")
      #expect(run.status == .done && run.out == "1 added, 0 changed, 14 left out.\n")
      let lines = run.err.split(separator: "\n")
      #expect(lines.count == 11 && lines.last == "and 4 more")
      let json = await daemon.run("shortcuts import \(path) --json").out
      #expect(json.contains(#"{"entry":15,"#))
    }
  }

  private func edits(_ daemon: FakeDaemon) -> [EntryChange] {
    daemon.commands.compactMap { command in
      if case .edit(let change) = command.action { change } else { nil }
    }
  }

  @Test("S-146 P-39 the largest list of shortcuts comes in, is changed and shrinks, in requests that the daemon reads")
  func largestList() async throws {
    let largest = (0..<200).map { Shortcut(trigger: "t\($0)", expansion: String(repeating: "é", count: 2000)) }
    try await with { daemon in
      let path = try file(ShortcutFormat.json.text(list(largest)), "in.json", in: daemon)
      let run = await daemon.run("shortcuts import \(path)")
      #expect(run.status == .done && run.out == "200 added, 0 changed, 0 left out.\n")
      #expect(daemon.value("BlurtTextShortcuts") == .array(largest.map(\.json)))
      #expect(edits(daemon).count > 10 && edits(daemon).allSatisfy { SettingEdit.fits(.edit($0)) })
      #expect(await daemon.run("shortcuts import \(path)").out == "0 added, 0 changed, 200 unchanged, 0 left out.\n")
      #expect(await daemon.run("shortcuts add t7 new --replace").status == .done)
      #expect(
        edits(daemon).last
          == EntryChange(
            setting: "BlurtTextShortcuts", put: .array([Shortcut(trigger: "t7", expansion: "new").json]),
            expected: .array([largest[7].json])))
      #expect(await daemon.run("shortcuts remove t0 T1").status == .done)
      #expect(edits(daemon).last?.remove == ["t0", "t1"])
      let one = try file("only,x\n", "one.csv", in: daemon)
      #expect(
        await daemon.run("shortcuts import \(one) --replace").out == "1 added, 0 changed, 198 removed, 0 left out.\n")
      #expect(daemon.value("BlurtTextShortcuts") == .array([Shortcut(trigger: "only", expansion: "x").json]))
    }
  }

  @Test("P-09 of a list that is too long for a request, what another client changed meanwhile is kept as well")
  func conflictOfEntries() async throws {
    let many = (0..<40).map { Shortcut(trigger: "t\($0)", expansion: String(repeating: "x", count: 2000)) }
    let race: @Sendable (FakeDaemon, Int) -> Void = { daemon, count in
      if count == 0 { daemon.write("BlurtTextShortcuts", .array(many.dropFirst().map(\.json))) }
    }
    try await with(shortcuts: many, onWrite: race) { daemon in
      #expect(await daemon.run("shortcuts remove t0 t1").status == .done)
      #expect(daemon.value("BlurtTextShortcuts") == .array(many.dropFirst(2).map(\.json)))
    }
  }

  @Test(
    "S-146 of an entry that is long itself the comparison is left out; one that no request can hold is refused here")
  func longEntry() async throws {
    func expansion(_ byteCount: Int) -> String {
      String(repeating: "e" + String(repeating: "\u{301}", count: byteCount / 2), count: 1000)
    }
    let filler = (0..<33).map { Shortcut(trigger: "f\($0)", expansion: String(repeating: "x", count: 2000)) }
    try await with(shortcuts: filler + [Shortcut(trigger: "t", expansion: expansion(40))]) { daemon in
      for (byteCount, status) in [(42, ExitStatus.done), (70, .failed)] {
        let changed = [Shortcut(trigger: "t", expansion: expansion(byteCount))]
        let path = try file(ShortcutFormat.json.text(list(changed)), "in.json", in: daemon)
        let run = await daemon.run("shortcuts import \(path)")
        #expect(run.status == status && run.err.contains("65536 bytes") == (status == .failed))
      }
      #expect(edits(daemon).map(\.expected) == [nil])
      #expect(edits(daemon).count == 1)
    }
  }
}
