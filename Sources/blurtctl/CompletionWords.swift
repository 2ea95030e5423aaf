/// What all three shells complete, from the table.
enum CompletionWords {
  /// Where the words for an operand come from.
  enum Source: Hashable {
    case nothing, files
    case words([String])
    /// `on` and `off` where the setting before it is one of both; only bash asks.
    case value
    /// The lines that the `list` of this group prints with `--names`.
    case names(CommandTable.Group)
  }

  /// The words that may come first, with what they mean.
  static var firstWords: [(name: String, summary: String)] {
    var words: [(name: String, summary: String)] = []
    for verb in CommandTable.Verb.allCases {
      guard let group = verb.group else {
        words.append((verb.rawValue, verb.entry.summary))
        continue
      }
      if verb == group.verbs.first { words.append((group.rawValue, group.summary)) }
    }
    return words
  }

  /// All commands and all first words of two.
  static var commandPaths: [String] {
    CommandTable.Group.allCases.map(\.rawValue) + CommandTable.Verb.allCases.map(\.rawValue)
  }

  /// The options as they are typed.
  static func options(_ options: [CommandTable.Option]) -> String {
    options.map { "--\($0.rawValue)" }.joined(separator: " ")
  }

  static func source(_ operand: CommandTable.Operand) -> Source {
    switch operand.kind {
    case .file: .files
    case .recording: .names(.spool)
    case .setting: .names(.settings)
    case .style: .names(.styles)
    case .term: .names(.terms)
    case .trigger: .names(.shortcuts)
    case .key: .names(.keys)
    case .device: .names(.devices)
    case .pack: .names(.sounds)
    case .text: .nothing
    case .value: .value
    case .words(let words): .words(words)
    }
  }
}
