internal import BlurtContract

/// The help, made from the table.
enum HelpText {
  /// The short reminder after a usage error, with the command or the group that it is about.
  static func reminder(_ topic: String?) -> String {
    "Try \"blurtctl \(topic.map { $0 + " " } ?? "")--help\".\n"
  }

  /// No line is longer.
  static let width = 80

  static func text(for topic: Invocation.HelpTopic) -> String {
    switch topic {
    case .everything: overview
    case .group(let group): text(group)
    case .verb(let verb): text(verb)
    }
  }

  private static var overview: String {
    var rows: [(String, String)] = []
    for verb in CommandTable.Verb.allCases {
      guard let group = verb.group else {
        rows.append((verb.synopsis, verb.entry.summary))
        continue
      }
      if verb == group.verbs.first { rows.append(("\(group.rawValue) ...", group.summary)) }
    }
    let statuses = ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }
    return """
      usage: blurtctl COMMAND [OPTIONS]

      Dictation from scripts and key bindings: talks to blurtd.

      Commands:
      \(table(rows))
      Options of every command:
      \(table(CommandTable.Option.common.map(row)))
      Exit status:
      \(table(statuses))
      More: blurtctl COMMAND --help, man blurtctl

      """
  }

  private static func text(_ group: CommandTable.Group) -> String {
    """
    usage: blurtctl \(group.rawValue) [COMMAND] [OPTIONS]

    \(sentence(group.summary))

    Commands:
    \(table(group.verbs.map { (String($0.synopsis.dropFirst(group.rawValue.count + 1)), $0.entry.summary) }))
    Without a command: \(group.defaultVerb.lastWord).
    More: blurtctl \(group.rawValue) COMMAND --help

    """
  }

  private static func text(_ verb: CommandTable.Verb) -> String {
    """
    usage: blurtctl \(verb.synopsis) [OPTIONS]

    \(sentence(verb.entry.summary))
    \(wrapped(verb.entry.details))

    Options:
    \(table(verb.options.map(row)))
    """
  }

  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + "."
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

  private static func wrapped(_ text: String) -> String {
    TerminalText.wrap(text, to: width).joined(separator: "\n")
  }
}
