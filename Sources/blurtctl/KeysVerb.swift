internal import BlurtContract
internal import BlurtIPC

/// `keys list`, `set`, `bind`, `off` and `activation`.
struct KeysVerb {
  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func list(all: Bool, namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.keys(key: nil))
    let keys = answer.ack.keys ?? []
    if namesOnly {
      output.text(keys.map(\.key).joined(separator: "\n"), line: answer.line)
      return .done
    }
    output.answer(text(all ? keys : keys.filter { $0.isOffered || $0.choice != "off" }), line: answer.line)
    if !keys.isEmpty, !keys.contains(where: \.isBound) {
      output.remark("No key dictates: blurtctl keys bind KEY_RIGHTCTRL")
    }
    return .done
  }

  func set(
    _ key: String, _ choice: String, style: String?, activation: String?, only: Bool
  ) throws(VerbError) -> ExitStatus {
    if choice == "off", style != nil || activation != nil || only {
      throw .usage("A key that is off takes no --style, --activation or --only.")
    }
    return try change(
      KeyChange(
        key: key, choice: choice == "readaloud" ? "readAloud" : choice, style: style, activation: activation,
        isOnly: only))
  }

  func bind(_ key: String) throws(VerbError) -> ExitStatus { try change(KeyChange(key: key, isBound: true)) }

  func off(_ key: String) throws(VerbError) -> ExitStatus { try change(KeyChange(key: key, choice: "off")) }

  func activation(_ mode: String, of key: String?) throws(VerbError) -> ExitStatus {
    try change(KeyChange(key: key, activation: mode))
  }

  /// Says what each key that was changed does now, the one that was asked for last, with what there is to know about it.
  private func change(_ change: KeyChange) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answerPatiently(.setKey(change))
    let changed = answer.ack.keys ?? []
    output.answer(
      changed.isEmpty ? "Every key was so already." : changed.map(Self.sentence).joined(separator: "\n"),
      line: answer.line)
    if let message = answer.ack.message { output.remark(message) }
    for entry in changed where entry.choice != "off" {
      for warning in entry.warnings ?? [] { output.remark("\(entry.label): \(warning)") }
    }
    return .done
  }

  private static func sentence(_ entry: KeyEntry) -> String {
    guard entry.choice == "dictate" else { return "\(entry.label) is \(word(entry.choice)) now." }
    let style = entry.styleName.map { "in the style \($0)" } ?? "in the base style"
    return "\(entry.label) dictates \(style), \(phrase(entry.activation))."
  }

  private static func word(_ choice: String) -> String { choice == "readAloud" ? "read aloud" : choice }

  private static func phrase(_ activation: String) -> String {
    switch activation {
    case "Tap": "by taps"
    case "Hold": "while it is held"
    default: "by taps and while it is held"
    }
  }

  /// A line for each key; under it what there is to know about one that does something.
  private func text(_ entries: [KeyEntry]) -> String {
    var table = TextTable()
    for entry in entries {
      let isOff = entry.choice == "off"
      table.add(
        [
          entry.key, entry.label, Self.word(entry.choice), isOff ? "" : Self.phrase(entry.activation),
          entry.choice == "dictate" ? entry.styleName ?? "base style" : "",
        ], mark: entry.isBound ? "* " : "  ")
    }
    let width = output.width
    return zip(entries, table.lines(width: width)).map { entry, line in
      ([line]
        + (entry.choice == "off" ? [] : entry.warnings ?? []).map { TerminalText.hanging("    ", $0, width: width) })
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
