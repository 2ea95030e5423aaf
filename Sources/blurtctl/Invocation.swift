/// A command line, read by the table.
struct Invocation: Hashable {
  var verb: CommandTable.Verb
  var operands: [String] = []
  var switches: Set<CommandTable.Option> = []
  /// The values of the options that take one.
  var values: [CommandTable.Option: String] = [:]

  /// What a command line asks for.
  enum Request: Hashable {
    case run(Invocation)
    case help(HelpTopic)
  }

  /// What help is asked for.
  enum HelpTopic: Hashable {
    case everything
    case group(CommandTable.Group)
    case verb(CommandTable.Verb)
  }

  /// Why a command line cannot be read. The message says what to write instead.
  struct UsageError: Error, Hashable {
    let message: String
    /// The command or the first word of a group whose help has more; nil for that of all.
    var topic: String?
  }

  /// The value of `--count`.
  var count: Int? { values[.count].flatMap { Int($0) } }

  /// Whether stdout is for a text that is wanted as it is, which JSON that nobody asked for must not spoil.
  var printsText: Bool { verb.entry.printsText || !switches.isDisjoint(with: [.wait, .names, .meter]) }

  /// Reads the arguments without the program's name. Options may stand anywhere; `--` ends them.
  static func parse(_ arguments: [String]) throws(UsageError) -> Request {
    do throws(UsageError) {
      return try read(arguments)
    } catch {
      var error = error
      error.topic = error.topic ?? topic(arguments)
      throw error
    }
  }

  /// What a command line is about, as far as its words tell.
  private static func topic(_ arguments: [String]) -> String? {
    let words = arguments.prefix { $0 != "--" }.filter { !$0.hasPrefix("-") }
    guard let first = words.first else { return nil }
    if let verb = CommandTable.Verb(rawValue: words.prefix(2).joined(separator: " ")) { return verb.rawValue }
    return CommandTable.Verb(rawValue: first)?.rawValue ?? CommandTable.Group(rawValue: first)?.rawValue
  }

  private static func read(_ arguments: [String]) throws(UsageError) -> Request {
    let topic = topic(arguments)
    let options = topic.flatMap { CommandTable.Verb(rawValue: $0) ?? CommandTable.Group(rawValue: $0)?.defaultVerb }?
      .options
    return try read(arguments, hints: (options ?? CommandTable.Option.allCases).map(\.rawValue))
  }

  /// `hints`: the options that a mistyped one may have been meant to be.
  private static func read(_ arguments: [String], hints: [String]) throws(UsageError) -> Request {
    var words: [String] = []
    var options: [(option: CommandTable.Option, value: String?)] = []
    var rest = arguments[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.hasPrefix("-") || argument == "-" || isNumber(argument) {
        words.append(argument)
      } else if argument == "--" {
        optionsEnded = true
      } else {
        options.append(try readOption(argument, &rest, hints))
      }
    }
    return try request(words, options)
  }

  /// A negative number is a word: a setting may want it.
  private static func isNumber(_ argument: String) -> Bool {
    argument.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
  }

  private static func readOption(
    _ argument: String, _ rest: inout ArraySlice<String>, _ hints: [String]
  ) throws(UsageError) -> (CommandTable.Option, String?) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = option(named: name) else {
      let near = Nearest.match(String(name.drop { $0 == "-" }), in: hints)
      throw UsageError(
        message: "There is no option \(name)." + (near.map { " Did you mean \"--\($0)\"?" } ?? ""))
    }
    guard let valueName = option.valueName else {
      guard parts.count == 1 else { throw UsageError(message: "The option \(name) takes no value.") }
      return (option, nil)
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
      throw UsageError(message: "The option \(name) needs a value: \(name) \(valueName).")
    }
    if let choices = option.choices, !choices.contains(value) {
      throw UsageError(message: "The option \(name) takes \(list(choices)), not \"\(value)\".")
    }
    if option == .count, Int(value).map({ $0 > 0 }) != true {
      throw UsageError(message: "The option \(name) takes a number from 1, not \"\(value)\".")
    }
    return (option, value)
  }

  private static func option(named name: String) -> CommandTable.Option? {
    if name.hasPrefix("--") { return CommandTable.Option(rawValue: String(name.dropFirst(2))) }
    return CommandTable.Option.allCases.first { option in option.letter.map { "-\($0)" == name } ?? false }
  }

  private static func request(
    _ words: [String], _ options: [(option: CommandTable.Option, value: String?)]
  ) throws(UsageError) -> Request {
    let wantsHelp = options.contains { $0.option == .help }
    guard let first = words.first else {
      if wantsHelp { return .help(.everything) }
      throw UsageError(message: "Name a command.")
    }
    let (verb, wordCount) = try verb(first, words.dropFirst().first)
    guard let verb else {
      if wantsHelp, let group = CommandTable.Group(rawValue: first) { return .help(.group(group)) }
      throw UsageError(message: "There is no command \"\(first)\".")
    }
    if wantsHelp {
      if wordCount == 1, let group = verb.group { return .help(.group(group)) }
      return .help(.verb(verb))
    }
    var invocation = Invocation(verb: verb, operands: Array(words.dropFirst(wordCount)))
    for (option, value) in options {
      guard verb.options.contains(option) else {
        throw UsageError(message: "The command \(verb.rawValue) has no option --\(option.rawValue).")
      }
      if let value { invocation.values[option] = value } else { invocation.switches.insert(option) }
    }
    for (one, other) in CommandTable.Option.exclusive where invocation.switches.isSuperset(of: [one, other]) {
      throw UsageError(message: "Give either --\(one.rawValue) or --\(other.rawValue).")
    }
    try check(invocation.operands, of: verb)
    return .run(invocation)
  }

  /// The command and how many words name it.
  private static func verb(_ first: String, _ second: String?) throws(UsageError) -> (CommandTable.Verb?, Int) {
    if let group = CommandTable.Group(rawValue: first) {
      guard let second else { return (group.defaultVerb, 1) }
      if let verb = CommandTable.Verb(rawValue: "\(first) \(second)") { return (verb, 2) }
      let names = group.verbs.map(\.lastWord)
      let removal = removals.contains(second.lowercased()) ? names.first { removers.contains($0) } : nil
      let hint = removal.map { " Did you mean \"\($0)\"?" } ?? Nearest.hint(to: second, in: names)
      throw UsageError(
        message: "There is no command \"\(first) \(second)\"." + (hint.isEmpty ? " There is \(list(names))." : hint))
    }
    if let verb = CommandTable.Verb(rawValue: first), verb.group == nil { return (verb, 1) }
    let names = CommandTable.Verb.allCases.filter { $0.group == nil }.map(\.rawValue)
    let groups = CommandTable.Group.allCases.map(\.rawValue)
    if first.lowercased() == "help" {
      throw UsageError(message: "There is no command \"\(first)\". Did you mean \"--help\"?")
    }
    // The second word of two, alone.
    let whole = CommandTable.Verb.allCases.filter { verb in
      guard verb.group != nil else { return false }
      return verb.lastWord == first.lowercased()
        || (removals.contains(first.lowercased()) && verb.lastWord != "reset" && removers.contains(verb.lastWord))
    }.map { "\"\($0.rawValue)\"" }
    let hint = whole.isEmpty ? Nearest.hint(to: first, in: names + groups) : " Did you mean \(list(whole))?"
    throw UsageError(message: "There is no command \"\(first)\"." + hint)
  }

  /// What other programs call a removal, and the words that stand for it here.
  private static let removals: Set = ["rm", "del", "delete"]
  private static let removers: Set = ["discard", "remove", "reset"]

  private static func check(_ operands: [String], of verb: CommandTable.Verb) throws(UsageError) {
    let expected = verb.entry.operands
    for (index, operand) in expected.enumerated() where operand.count != .optional && index >= operands.count {
      throw UsageError(
        message: "The command \(verb.rawValue) needs \(operand.name): blurtctl \(verb.synopsis).")
    }
    if operands.count > expected.count, expected.last?.count != .some {
      throw UsageError(message: "The command \(verb.rawValue) takes no \"\(operands[expected.count])\".")
    }
    for (operand, word) in zip(expected, operands) {
      guard case .words(let words) = operand.kind, !words.contains(word) else { continue }
      throw UsageError(
        message: "The command \(verb.rawValue) takes \(list(words)), not \"\(word)\"."
          + Nearest.hint(to: word, in: words))
    }
  }

  /// `a, b or c`.
  static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
