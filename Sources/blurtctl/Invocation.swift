/// A command line, read by the table.
struct Invocation: Hashable {
  var verb: CommandTable.Verb
  var operand: String?
  var switches: Set<CommandTable.Option> = []
  var socket: String?

  /// What a command line asks for.
  enum Request: Hashable {
    case run(Invocation)
    /// The help of everything, or of one command.
    case help(CommandTable.Verb?)
  }

  /// Why a command line cannot be read. The message says what to write instead.
  struct UsageError: Error, Hashable {
    let message: String
  }

  /// Reads the arguments without the program's name. Options may stand anywhere; `--` ends them.
  static func parse(_ arguments: [String]) throws(UsageError) -> Request {
    var words: [String] = []
    var options: [(option: CommandTable.Option, value: String?)] = []
    var rest = arguments[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
        words.append(argument)
      } else if argument == "--" {
        optionsEnded = true
      } else {
        options.append(try readOption(argument, &rest))
      }
    }
    return try request(words, options)
  }

  private static func readOption(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> (CommandTable.Option, String?) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = option(named: name) else {
      throw UsageError(message: "There is no option \(name).")
    }
    var value = parts.count == 2 ? String(parts[1]) : nil
    if let valueName = option.valueName {
      if value == nil { value = rest.popFirst() }
      guard let value, !value.isEmpty else {
        throw UsageError(message: "The option \(name) needs a value: \(name) \(valueName).")
      }
      return (option, value)
    }
    guard value == nil else { throw UsageError(message: "The option \(name) takes no value.") }
    return (option, nil)
  }

  private static func option(named name: String) -> CommandTable.Option? {
    if name.hasPrefix("--") { return CommandTable.Option(rawValue: String(name.dropFirst(2))) }
    return CommandTable.Option.allCases.first { option in option.letter.map { "-\($0)" == name } ?? false }
  }

  private static func request(
    _ words: [String], _ options: [(option: CommandTable.Option, value: String?)]
  ) throws(UsageError) -> Request {
    let wantsHelp = options.contains { $0.option == .help }
    guard let word = words.first else {
      if wantsHelp { return .help(nil) }
      throw UsageError(message: "Name a command.")
    }
    guard let verb = CommandTable.Verb(rawValue: word) else {
      let similar = CommandTable.Verb.allCases.first { isSimilar($0.rawValue, word) }
      throw UsageError(
        message: "There is no command \"\(word)\"." + (similar.map { " Did you mean \"\($0.rawValue)\"?" } ?? ""))
    }
    if wantsHelp { return .help(verb) }
    var invocation = Invocation(verb: verb)
    for (option, value) in options {
      guard verb.options.contains(option) else {
        throw UsageError(message: "The command \(verb.rawValue) has no option --\(option.rawValue).")
      }
      if option == .socket { invocation.socket = value } else { invocation.switches.insert(option) }
    }
    if invocation.switches.isSuperset(of: [.json, .quiet]) {
      throw UsageError(message: "Give either --json or --quiet.")
    }
    let operands = words.dropFirst()
    if let name = verb.operandName {
      guard operands.count == 1, let operand = operands.first else {
        throw UsageError(message: "The command \(verb.rawValue) takes one file: blurtctl \(verb.rawValue) \(name).")
      }
      invocation.operand = operand
    } else if let extra = operands.first {
      throw UsageError(message: "The command \(verb.rawValue) takes no \"\(extra)\".")
    }
    return .run(invocation)
  }

  /// One is the start of the other, or they differ in one letter or one swap.
  private static func isSimilar(_ name: String, _ word: String) -> Bool {
    guard word.count >= 3 else { return false }
    if name.hasPrefix(word) || word.hasPrefix(name) { return true }
    let (a, b) = (Array(name), Array(word))
    guard abs(a.count - b.count) <= 1 else { return false }
    let start = zip(a, b).prefix { $0 == $1 }.count
    let end = zip(a.dropFirst(start).reversed(), b.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    let (left, right) = (a.count - start - end, b.count - start - end)
    return max(left, right) <= 1 || (left == 2 && right == 2 && a[start] == b[start + 1] && a[start + 1] == b[start])
  }
}
