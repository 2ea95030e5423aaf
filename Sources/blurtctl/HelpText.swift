internal import BlurtContract

/// The help, made from the table.
enum HelpText {
  /// The short reminder after a usage error.
  static let reminder = "Try \"blurtctl --help\".\n"

  static func text(for verb: CommandTable.Verb?) -> String { verb.map(text) ?? overview }

  private static var overview: String {
    let verbs = CommandTable.Verb.allCases.map { verb in (synopsis(verb), verb.summary) }
    let statuses = ExitStatus.allCases.filter { isUsed($0) }.map { ("\($0.rawValue)", $0.meaning) }
    return """
      usage: blurtctl COMMAND [OPTIONS]

      Dictation from scripts and key bindings: talks to blurtd.

      Commands:
      \(table(verbs))
      Options of every command:
      \(table(CommandTable.Option.common.map(row)))
      Exit status:
      \(table(statuses))
      More: man blurtctl

      """
  }

  private static func text(_ verb: CommandTable.Verb) -> String {
    """
    usage: blurtctl \(synopsis(verb)) [OPTIONS]

    \(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst()).
    \(verb.details)

    Options:
    \(table(verb.options.map(row)))
    """
  }

  /// The statuses that a command of the table can end with. Those of `key set` come with that command.
  static func isUsed(_ status: ExitStatus) -> Bool {
    switch status {
    case .done, .failed, .usage, .busy, .notListening, .notOwner, .noDaemon, .nothingToActOn: true
    case .keySaveFailed, .keyInvalid, .keyUnreachable: false
    }
  }

  private static func synopsis(_ verb: CommandTable.Verb) -> String {
    verb.rawValue + (verb.operandName.map { " \($0)" } ?? "")
  }

  private static func row(_ option: CommandTable.Option) -> (String, String) {
    let letter = option.letter.map { "-\($0), " } ?? ""
    return (letter + "--\(option.rawValue)" + (option.valueName.map { " \($0)" } ?? ""), option.summary)
  }

  /// Two columns, the first as wide as its widest entry.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, summary in
      "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(summary)\n"
    }.joined()
  }
}
