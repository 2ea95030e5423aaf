internal import BlurtContract
internal import BlurtIPC

/// `styles list`, `use`, `add`, `remove`, `export` and `import`.
struct StylesVerb {
  private let conversation: Conversation
  private let output: Output
  private let input: Int32
  private let edit: SettingEdit

  init(_ conversation: Conversation, _ output: Output, input: Int32) {
    self.conversation = conversation
    self.output = output
    self.input = input
    edit = SettingEdit(conversation)
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.settings(setting: nil))
    let entries = (answer.ack.settings ?? []).filter {
      $0.setting == StyleList.setting || $0.setting == StyleList.activeSetting
    }
    let list = StyleList(entries.first { $0.setting == StyleList.setting }?.value ?? .null)
    let pointer = entries.first { $0.setting == StyleList.activeSetting }?.value ?? .null
    // Of all settings these two: a program must not have to search.
    var ack = answer.ack
    ack.settings = entries
    if namesOnly {
      output.text(list.styles.map(\.name).joined(separator: "\n"), line: MessageCoder.encode(ack))
    } else {
      output.answer(text(list, active: list.active(pointer)), line: MessageCoder.encode(ack))
    }
    return .done
  }

  func use(_ word: String) throws(VerbError) -> ExitStatus {
    let list = StyleList(try edit.read(StyleList.setting).value)
    let style: Style?
    if let index = list.index(of: word) {
      style = list.styles[index]
    } else if word.lowercased() == StyleList.base {
      style = nil
    } else {
      throw unknown([word], list)
    }
    let answer = try conversation.answerPatiently(
      .set(setting: StyleList.activeSetting, value: .string(style?.id ?? StyleList.base), expected: nil))
    output.answer(style.map { "\($0.name) is used now." } ?? "The base style is used now.", line: answer.line)
    return .done
  }

  func add(_ name: String, _ text: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    let style = Style(
      id: "", name: name, instructions: text == "-" ? try TextFile.contents(of: "-", input: input) : text)
    if let problem = StyleList.problem(style) { throw .usage("The style cannot be stored. \(problem)") }
    return try change { (list) throws(VerbError) in
      if !replacing, list.index(of: style.name) != nil {
        throw .found("There is a style \(style.name) already: give --replace to change it.", .badValue, .failed)
      }
      let tookPlace = list.put(style)
      guard list.styles.count <= StyleList.countLimit else {
        throw .found(
          "There are \(StyleList.countLimit) styles already: remove one first.", .badValue, .failed)
      }
      return tookPlace ? "\(style.name) is changed." : "\(style.name) is added."
    }
  }

  func remove(_ words: [String]) throws(VerbError) -> ExitStatus {
    var unknown: [String] = []
    let status = try change { (list) throws(VerbError) in
      let before = list
      unknown = []
      var removed: [String] = []
      for word in words {
        if let index = list.index(of: word) {
          removed.append(list.styles[index].name)
          list.remove(at: index)
        } else {
          unknown.append(word)
        }
      }
      if removed.isEmpty { throw self.unknown(words, before) }
      return "Removed: \(removed.joined(separator: ", "))."
    }
    if !unknown.isEmpty { output.remark("Not there: \(unknown.joined(separator: ", ")).") }
    return status
  }

  func export(to file: String?) throws(VerbError) -> ExitStatus {
    let list = StyleList(try edit.read(StyleList.setting).value)
    let value = JSONValue.array(list.styles.map(\.json))
    return try Exchange.write(Exchange.text(value), as: value, to: file, output)
  }

  func importing(from file: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    let entries = try Exchange.list(TextFile.contents(of: file, input: input), file: file)
    guard !entries.isEmpty else {
      throw Exchange.empty(file, replacing ? "blurtctl settings reset StyleProfiles" : nil)
    }
    // Validated first: a file of which nothing can be used changes nothing, also with --replace.
    var tried = StyleList()
    var report = tried.take(entries)
    guard report.isUsable else { return report.print(output) }
    _ = try edit.change(StyleList.setting) { value in
      var list = StyleList(value)
      report = list.take(entries, replacing: replacing)
      return list.value
    }
    return report.print(output)
  }

  private func change(_ body: (inout StyleList) throws(VerbError) -> String) throws(VerbError) -> ExitStatus {
    var sentence = ""
    let (answer, entry) = try edit.change(StyleList.setting) { (value) throws(VerbError) in
      var list = StyleList(value)
      sentence = try body(&list)
      return list.value
    }
    output.answer(sentence, line: answer.line)
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
    return .done
  }

  private func unknown(_ words: [String], _ list: StyleList) -> VerbError {
    let hint = words.count == 1 ? Nearest.hint(to: words[0], in: list.styles.map(\.name)) : ""
    return .found(
      "There is no style \(words.joined(separator: ", "))." + (hint.isEmpty ? " See: blurtctl styles list" : hint),
      .badValue, .nothingToActOn)
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
