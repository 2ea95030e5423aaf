import Testing

@testable import blurtctl

@Suite struct InvocationTests {
  private func run(_ line: String) throws(Invocation.UsageError) -> Invocation? {
    if case .run(let invocation) = try Invocation.parse(line.split(separator: " ").map(String.init)) {
      return invocation
    }
    return nil
  }

  @Test("S-151 every command is read by its name, with every option of its own", arguments: CommandTable.Verb.allCases)
  func verbs(_ verb: CommandTable.Verb) throws {
    let operand = verb.operandName
    let line = "\(verb.rawValue) \(operand ?? "")"
    #expect(try run(line) == Invocation(verb: verb, operand: operand))
    for option in verb.options where option != .help && option != .socket {
      #expect(try run("\(line) --\(option.rawValue)") == Invocation(verb: verb, operand: operand, switches: [option]))
      #expect(try run("--\(option.rawValue) \(line)") == Invocation(verb: verb, operand: operand, switches: [option]))
    }
    for option in CommandTable.Option.allCases where !verb.options.contains(option) {
      #expect(throws: Invocation.UsageError.self) { try run("\(line) --\(option.rawValue)") }
    }
    for extra in operand == nil ? ["more"] : ["", "a b"] {
      #expect(throws: Invocation.UsageError.self) { try run("\(verb.rawValue) \(extra)") }
    }
  }

  @Test("S-151 the socket's path is taken in both spellings, and must be there")
  func socket() throws {
    #expect(try run("press --socket /a/b") == Invocation(verb: .press, socket: "/a/b"))
    #expect(try run("--socket=/a=b press") == Invocation(verb: .press, socket: "/a=b"))
    for line in ["press --socket", "press --socket=", "press --quiet=yes"] {
      #expect(throws: Invocation.UsageError.self) { try run(line) }
    }
  }

  @Test("S-151 options end at two dashes; a lone dash is a word")
  func endOfOptions() throws {
    #expect(try run("transcribe -- --json") == Invocation(verb: .transcribe, operand: "--json"))
    #expect(try run("transcribe -") == Invocation(verb: .transcribe, operand: "-"))
  }

  @Test("S-151 help is given for all and for one, even beside a mistake in the options")
  func help() throws {
    #expect(try Invocation.parse(["--help"]) == .help(nil))
    #expect(try Invocation.parse(["-h"]) == .help(nil))
    #expect(try Invocation.parse(["watch", "-h"]) == .help(.watch))
    #expect(try Invocation.parse(["--help", "press", "--wait"]) == .help(.press))
  }

  @Test(
    "S-151 a command line that cannot be read says what is wrong with it",
    arguments: [
      ("", "Name a command."), ("dance", "There is no command \"dance\"."),
      ("pres", "There is no command \"pres\". Did you mean \"press\"?"),
      ("relaese", "There is no command \"relaese\". Did you mean \"release\"?"),
      ("statis", "There is no command \"statis\". Did you mean \"status\"?"),
      ("press --fast", "There is no option --fast."), ("press -q", "There is no option -q."),
      ("press --wait", "The command press has no option --wait."), ("press 5", "The command press takes no \"5\"."),
      ("press --json --quiet", "Give either --json or --quiet."),
      ("transcribe", "The command transcribe takes one file: blurtctl transcribe FILE.wav."),
    ])
  func mistakes(_ line: String, _ message: String) {
    #expect(throws: Invocation.UsageError(message: message)) { try run(line) }
  }
}
