import Testing

@testable import blurtctl

@Suite struct InvocationTests {
  private func run(_ line: String) throws(Invocation.UsageError) -> Invocation? {
    if case .run(let invocation) = try Invocation.parse(line.split(separator: " ").map(String.init)) {
      return invocation
    }
    return nil
  }

  /// The words that a command needs, and those it gets here.
  private func operands(_ verb: CommandTable.Verb) -> [String] {
    verb.entry.operands.map { operand in
      if case .words(let words) = operand.kind { return words[0] }
      return "x"
    }
  }

  @Test("S-151 every command is read by its name, with every option of its own", arguments: CommandTable.Verb.allCases)
  func verbs(_ verb: CommandTable.Verb) throws {
    let operands = operands(verb)
    let line = ([verb.rawValue] + operands).joined(separator: " ")
    #expect(try run(line) == Invocation(verb: verb, operands: operands))
    for option in verb.options where option != .help {
      let value = option.valueName.map { _ in option.choices?.first ?? "7" }
      let expected = Invocation(
        verb: verb, operands: operands, switches: value == nil ? [option] : [],
        values: value.map { [option: $0] } ?? [:])
      let word = "--\(option.rawValue)" + (value.map { " \($0)" } ?? "")
      #expect(try run("\(line) \(word)") == expected)
      #expect(try run("\(word) \(line)") == expected)
    }
    for option in CommandTable.Option.allCases where !verb.options.contains(option) {
      #expect(throws: Invocation.UsageError.self) { try run("\(line) --\(option.rawValue) 7") }
    }
    if verb.entry.operands.last?.count == .some {
      #expect(try run(line + " y z") == Invocation(verb: verb, operands: operands + ["y", "z"]))
    } else {
      #expect(throws: Invocation.UsageError.self) { try run(line + " more") }
    }
    let needed = verb.entry.operands.prefix { $0.count != .optional }.count
    if needed > 0 {
      #expect(throws: Invocation.UsageError.self) {
        try run(([verb.rawValue] + operands.prefix(needed - 1)).joined(separator: " "))
      }
    }
  }

  @Test(
    "S-151 the first word of two alone means its list, and of key what is shown", arguments: CommandTable.Group.allCases
  )
  func groups(_ group: CommandTable.Group) throws {
    #expect(try run(group.rawValue) == Invocation(verb: group.defaultVerb))
    #expect(group.defaultVerb.lastWord == (group == .key ? "show" : "list"))
    #expect(try run("\(group.rawValue) --json") == Invocation(verb: group.defaultVerb, switches: [.json]))
    #expect(try Invocation.parse([group.rawValue, "--help"]) == .help(.group(group)))
    #expect(throws: Invocation.UsageError.self) { try run("\(group.rawValue) dance") }
    #expect(!group.verbs.isEmpty)
  }

  @Test("S-151 a value of an option is taken in both spellings, and must be there and fit")
  func values() throws {
    #expect(try run("press --socket /a/b") == Invocation(verb: .press, values: [.socket: "/a/b"]))
    #expect(try run("--socket=/a=b press") == Invocation(verb: .press, values: [.socket: "/a=b"]))
    #expect(try run("recent --count=5")?.count == 5)
    for line in [
      "press --socket", "press --socket=", "press --quiet=yes", "recent --count 0", "recent --count x",
      "recent --count -3", "shortcuts export --format xml",
    ] {
      #expect(throws: Invocation.UsageError.self, "\(line)") { try run(line) }
    }
  }

  @Test("S-151 a negative number is a word, so that a setting may have it")
  func negativeNumbers() throws {
    #expect(try run("settings set A -50") == Invocation(verb: .settingsSet, operands: ["A", "-50"]))
  }

  @Test("S-151 options end at two dashes; a lone dash is a word")
  func endOfOptions() throws {
    #expect(try run("transcribe -- --json") == Invocation(verb: .transcribe, operands: ["--json"]))
    #expect(try run("transcribe -") == Invocation(verb: .transcribe, operands: ["-"]))
  }

  @Test("S-151 help is given for all and for one, even beside a mistake in the options")
  func help() throws {
    #expect(try Invocation.parse(["--help"]) == .help(.everything))
    #expect(try Invocation.parse(["-h"]) == .help(.everything))
    #expect(try Invocation.parse(["watch", "-h"]) == .help(.verb(.watch)))
    #expect(try Invocation.parse(["--help", "press", "--wait"]) == .help(.verb(.press)))
  }

  @Test(
    "S-151 a command line that cannot be read says what is wrong with it",
    arguments: [
      ("", "Name a command."), ("dance", "There is no command \"dance\"."),
      ("pres", "There is no command \"pres\". Did you mean \"press\"?"),
      ("relaese", "There is no command \"relaese\". Did you mean \"release\"?"),
      ("statis", "There is no command \"statis\". Did you mean \"status\"?"),
      ("setings list", "There is no command \"setings\". Did you mean \"settings\"?"),
      ("settings lst", "There is no command \"settings lst\". Did you mean \"list\"?"),
      ("settings dance", "There is no command \"settings dance\". There is list, get, set or reset."),
      ("press --wiat", "There is no option --wiat."),
      ("release --wiat", "There is no option --wiat. Did you mean \"--wait\"?"),
      ("discard a", "There is no command \"discard\". Did you mean \"spool discard\"?"),
      ("help", "There is no command \"help\". Did you mean \"--help\"?"),
      ("use Work", "There is no command \"use\". Did you mean \"styles use\", \"devices use\" or \"sounds use\"?"),
      (
        "rm a",
        "There is no command \"rm\". Did you mean \"spool discard\", \"terms remove\", \"styles remove\" or "
          + "\"shortcuts remove\"?"
      ),
      ("spool rm a", "There is no command \"spool rm\". Did you mean \"discard\"?"),
      ("terms delete a", "There is no command \"terms delete\". Did you mean \"remove\"?"),
      ("press --fast", "There is no option --fast."), ("press -q", "There is no option -q."),
      ("watch --lvels", "There is no option --lvels. Did you mean \"--levels\"?"),
      ("press --wait", "The command press has no option --wait."), ("press 5", "The command press takes no \"5\"."),
      ("press --json --quiet", "Give either --json or --quiet."),
      ("watch --waybar --meter", "Give either --waybar or --meter."),
      ("transcribe", "The command transcribe needs FILE: blurtctl transcribe FILE."),
      ("settings set A", "The command settings set needs VALUE: blurtctl settings set NAME VALUE."),
      ("completion csh", "The command completion takes bash, zsh or fish, not \"csh\". Did you mean \"zsh\"?"),
      ("recent --count 0", "The option --count takes a number from 1, not \"0\"."),
    ])
  func mistakes(_ line: String, _ message: String) {
    let error = #expect(throws: Invocation.UsageError.self) { try run(line) }
    #expect(error?.message == message)
  }
}
