internal import BlurtContract
internal import BlurtIPC

/// `styles list`, `use`, `add`, `remove`, `export` and `import`.
struct StylesVerb {
  private let conversation: Conversation
  private let output: Output
  private let input: Int32
  private let edit: SettingEdit
  private let verb: ListVerb<StyleList>

  init(_ conversation: Conversation, _ output: Output, input: Int32) {
    self.conversation = conversation
    self.output = output
    self.input = input
    edit = SettingEdit(conversation)
    verb = ListVerb(conversation, output)
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.settings(setting: nil))
    let entries = (answer.ack.settings ?? []).filter {
      $0.setting == StyleList.setting || $0.setting == StyleList.activeSetting
    }
    let list = entries.first { $0.setting == StyleList.setting }.map { StyleList($0) } ?? StyleList()
    let pointer = entries.first { $0.setting == StyleList.activeSetting }?.value ?? .null
    // Of all settings these two: a program must not have to search.
    var ack = answer.ack
    ack.settings = entries
    if namesOnly {
      output.text(list.names.joined(separator: "\n"), line: MessageCoder.encode(ack))
    } else {
      output.answer(text(list, active: list.active(pointer)), line: MessageCoder.encode(ack))
    }
    return .done
  }

  func use(_ word: String) throws(VerbError) -> ExitStatus {
    let list = StyleList(try edit.read(StyleList.setting))
    let style: Style?
    if let index = list.index(of: word) {
      style = list.styles[index]
    } else if word.lowercased() == StyleList.base {
      style = nil
    } else {
      throw ListVerb.unknown([word], list)
    }
    let answer = try conversation.answerPatiently(
      .set(setting: StyleList.activeSetting, value: .string(style?.id ?? StyleList.base), expected: nil))
    output.answer(style.map { "\($0.name) is used now." } ?? "The base style is used now.", line: answer.line)
    return .done
  }

  func add(_ name: String, _ text: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    let instructions = text == "-" ? try TextFile.contents(of: "-", input: input) : text
    return try verb.add(Style(id: "", name: name, instructions: instructions), replacing: replacing)
  }

  func remove(_ words: [String]) throws(VerbError) -> ExitStatus { try verb.remove(words) }

  func export(to file: String?) throws(VerbError) -> ExitStatus {
    try verb.export(to: file) { Exchange.text(.array($0.entries)) }
  }

  func importing(from file: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    let entries = try Exchange.list(TextFile.contents(of: file, input: input), file: file)
    return try verb.importing(entries.map { Style($0) }, from: file, replacing: replacing)
  }

  private func text(_ list: StyleList, active: Style?) -> String {
    var table = TextTable()
    for style in list.styles {
      table.add([style.name, style.id, style.instructions], mark: style == active ? "* " : "  ")
    }
    table.add([StyleList.base, "", "the base style alone"], mark: active == nil ? "* " : "  ")
    return table.text(width: output.width)
  }
}
