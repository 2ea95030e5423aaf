internal import BlurtContract
internal import BlurtIPC

/// `shortcuts list`, `add`, `remove`, `export` and `import`.
struct ShortcutsVerb {
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
    let answer = try conversation.answer(.settings(setting: ShortcutList.setting))
    let shortcuts = ShortcutList(answer.ack.settings?.first?.value ?? .null).shortcuts
    if namesOnly {
      output.text(shortcuts.map(\.trigger).joined(separator: "\n"), line: answer.line)
      return .done
    }
    var table = TextTable()
    for shortcut in shortcuts { table.add([shortcut.trigger, shortcut.expansion]) }
    output.answer(
      shortcuts.isEmpty ? "There are no shortcuts." : table.text(width: output.width), line: answer.line)
    return .done
  }

  func add(_ trigger: String, _ expansion: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    var text = expansion
    if expansion == "-" {
      text = try TextFile.contents(of: "-", input: input)
      // The newline that ends the last line is not part of the text.
      if text.last?.isNewline == true { text.removeLast() }
    }
    let shortcut = Shortcut(trigger: trigger, expansion: text)
    if let problem = ShortcutList.problem(shortcut) { throw .usage("The shortcut cannot be stored. \(problem)") }
    return try change { (list) throws(VerbError) in
      if !replacing, let index = list.index(of: trigger) {
        throw .found(
          "There is a shortcut \(list.shortcuts[index].trigger) already: give --replace to change it.", .badValue,
          .failed)
      }
      let tookPlace = list.put(shortcut)
      guard list.shortcuts.count <= ShortcutList.countLimit else {
        throw .found(
          "There are \(ShortcutList.countLimit) shortcuts already: remove one first.", .badValue, .failed)
      }
      return tookPlace ? "\(shortcut.trigger) is changed." : "\(shortcut.trigger) is added."
    }
  }

  func remove(_ triggers: [String]) throws(VerbError) -> ExitStatus {
    var unknown: [String] = []
    let status = try change { (list) throws(VerbError) in
      let names = list.shortcuts.map(\.trigger)
      unknown = []
      var removed: [String] = []
      for trigger in triggers {
        if let index = list.index(of: trigger) {
          removed.append(list.shortcuts[index].trigger)
          list.remove(at: index)
        } else {
          unknown.append(trigger)
        }
      }
      if removed.isEmpty {
        let hint = triggers.count == 1 ? Nearest.hint(to: triggers[0], in: names) : ""
        throw .found(
          "There is no shortcut \(triggers.joined(separator: ", "))."
            + (hint.isEmpty ? " See: blurtctl shortcuts list" : hint), .badValue, .nothingToActOn)
      }
      return "Removed: \(removed.joined(separator: ", "))."
    }
    if !unknown.isEmpty { output.remark("Not there: \(unknown.joined(separator: ", ")).") }
    return status
  }

  func export(to file: String?, _ format: ShortcutFormat?) throws(VerbError) -> ExitStatus {
    let list = ShortcutList(try edit.read(ShortcutList.setting).value)
    let format = format ?? file.flatMap { ShortcutFormat(file: $0) } ?? .json
    return try Exchange.write(format.text(list), as: .array(list.shortcuts.map(\.json)), to: file, output)
  }

  func importing(from file: String, _ format: ShortcutFormat?, replacing: Bool) throws(VerbError) -> ExitStatus {
    let text = try TextFile.contents(of: file, input: input)
    let format = format ?? ShortcutFormat(file: file) ?? .guess(text)
    let entries = try format.entries(text, file: file)
    guard !entries.isEmpty else {
      throw Exchange.empty(file, replacing ? "blurtctl settings reset TextShortcuts" : nil)
    }
    // Validated first: a file of which nothing can be used changes nothing, also with --replace.
    var tried = ShortcutList()
    var report = tried.take(entries)
    guard report.isUsable else { return report.print(output) }
    _ = try edit.change(ShortcutList.setting) { value in
      var list = ShortcutList(value)
      report = list.take(entries, replacing: replacing)
      return list.value
    }
    return report.print(output)
  }

  private func change(_ body: (inout ShortcutList) throws(VerbError) -> String) throws(VerbError) -> ExitStatus {
    var sentence = ""
    let (answer, entry) = try edit.change(ShortcutList.setting) { (value) throws(VerbError) in
      var list = ShortcutList(value)
      sentence = try body(&list)
      return list.value
    }
    output.answer(sentence, line: answer.line)
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
    return .done
  }
}
