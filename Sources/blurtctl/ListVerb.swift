internal import BlurtContract
internal import BlurtIPC

/// What `styles` and `shortcuts` have in common: `add`, `remove`, `export` and `import`.
struct ListVerb<List: NamedEntryList> {
  private let output: Output
  private let edit: SettingEdit

  init(_ conversation: Conversation, _ output: Output) {
    self.output = output
    edit = SettingEdit(conversation)
  }

  func add(_ entry: List.Entry, replacing: Bool) throws(VerbError) -> ExitStatus {
    try change { (list) throws(VerbError) in
      if let problem = list.problem(entry) { throw .usage("The \(List.noun) cannot be stored. \(problem)") }
      if !replacing, let index = list.index(of: List.name(entry)) {
        throw .found(
          "There is a \(List.noun) \(list.names[index]) already: give --replace to change it.", .badValue, .failed)
      }
      let tookPlace = list.put(entry)
      if let limit = list.countLimit, list.names.count > limit {
        throw .found("\(list.fullness): remove one first.", .badValue, .failed)
      }
      return "\(List.name(entry)) is \(tookPlace ? "changed" : "added")."
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
          removed.append(list.names[index])
          list.remove(at: index)
        } else {
          unknown.append(word)
        }
      }
      if removed.isEmpty { throw Self.unknown(words, before) }
      return "Removed: \(removed.joined(separator: ", "))."
    }
    if !unknown.isEmpty { output.remark("Not there: \(unknown.joined(separator: ", ")).") }
    return status
  }

  func export(to file: String?, _ text: (List) -> String) throws(VerbError) -> ExitStatus {
    let list = List(try edit.read(List.setting))
    return try Exchange.write(text(list), as: .array(list.entries), to: file, output)
  }

  /// `entries` are those of the file, nil for what is none.
  func importing(_ entries: [List.Entry?], from file: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    guard !entries.isEmpty else {
      let reset = "blurtctl settings reset \(SettingText.shortName(List.setting))"
      throw Exchange.empty(file, replacing ? reset : nil)
    }
    // Validated first: a file of which nothing can be used changes nothing, also with --replace.
    var tried = List(try edit.read(List.setting))
    tried.removeAll()
    var report = tried.take(entries, replacing: false)
    guard report.isUsable else { return report.print(output) }
    _ = try edit.change { (list: inout List) in report = list.take(entries, replacing: replacing) }
    return report.print(output)
  }

  /// Nobody of those names is there.
  static func unknown(_ words: [String], _ list: List) -> VerbError {
    let hint = words.count == 1 ? Nearest.hint(to: words[0], in: list.names) : ""
    return .found(
      "There is no \(List.noun) \(words.joined(separator: ", "))."
        + (hint.isEmpty ? " See: blurtctl \(List.noun)s list" : hint), .badValue, .nothingToActOn)
  }

  private func change(_ body: (inout List) throws(VerbError) -> String) throws(VerbError) -> ExitStatus {
    var sentence = ""
    let (answer, entry) = try edit.change { (list: inout List) throws(VerbError) in sentence = try body(&list) }
    output.answer(sentence, line: answer.line)
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
    return .done
  }
}
