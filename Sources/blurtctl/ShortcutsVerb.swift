internal import BlurtContract
internal import BlurtIPC

/// `shortcuts list`, `add`, `remove`, `export` and `import`.
struct ShortcutsVerb {
  private let conversation: Conversation
  private let output: Output
  private let input: Int32
  private let verb: ListVerb<ShortcutList>

  init(_ conversation: Conversation, _ output: Output, input: Int32) {
    self.conversation = conversation
    self.output = output
    self.input = input
    verb = ListVerb(conversation, output)
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.settings(setting: ShortcutList.setting))
    let list = answer.ack.settings?.first.map { ShortcutList($0) } ?? ShortcutList()
    if namesOnly {
      output.text(list.names.joined(separator: "\n"), line: answer.line)
      return .done
    }
    var table = TextTable()
    for shortcut in list.shortcuts { table.add([shortcut.trigger, shortcut.expansion]) }
    output.answer(
      list.shortcuts.isEmpty ? "There are no shortcuts." : table.text(width: output.width), line: answer.line)
    return .done
  }

  func add(_ trigger: String, _ expansion: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    var text = expansion
    if expansion == "-" {
      text = try TextFile.contents(of: "-", input: input)
      // The newline that ends the last line is not part of the text.
      if text.last?.isNewline == true { text.removeLast() }
    }
    return try verb.add(Shortcut(trigger: trigger, expansion: text), replacing: replacing)
  }

  func remove(_ triggers: [String]) throws(VerbError) -> ExitStatus { try verb.remove(triggers) }

  func export(to file: String?, _ format: ShortcutFormat?) throws(VerbError) -> ExitStatus {
    let format = format ?? file.flatMap { ShortcutFormat(file: $0) } ?? .json
    return try verb.export(to: file) { format.text($0) }
  }

  func importing(from file: String, _ format: ShortcutFormat?, replacing: Bool) throws(VerbError) -> ExitStatus {
    let text = try TextFile.contents(of: file, input: input)
    let format = format ?? ShortcutFormat(file: file) ?? .guess(text)
    return try verb.importing(format.entries(text, file: file), from: file, replacing: replacing)
  }
}
