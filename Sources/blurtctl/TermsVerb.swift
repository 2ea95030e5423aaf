internal import BlurtContract
internal import BlurtIPC

/// `terms list`, `add`, `remove`, `set`, `clear`, `export` and `import`.
struct TermsVerb {
  private let output: Output
  private let edit: SettingEdit
  private let conversation: Conversation
  private let input: Int32

  init(_ conversation: Conversation, _ output: Output, input: Int32) {
    self.conversation = conversation
    self.input = input
    self.output = output
    edit = SettingEdit(conversation)
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.settings(setting: TermList.setting))
    let terms = answer.ack.settings?.first.map { TermList($0).terms.joined(separator: "\n") } ?? ""
    if namesOnly {
      output.text(terms, line: answer.line)
    } else {
      output.answer(terms.isEmpty ? "There are no terms." : terms, line: answer.line)
    }
    return .done
  }

  func add(_ words: [String]) throws(VerbError) -> ExitStatus {
    let terms = try given(words)
    var known: [String] = []
    try change { list in
      known = terms.filter { !list.add($0) }
    }
    if !known.isEmpty { output.remark("Already there: \(known.joined(separator: ", ")).") }
    return .done
  }

  func remove(_ words: [String]) throws(VerbError) -> ExitStatus {
    let terms = try given(words)
    var unknown: [String] = []
    try change { (list) throws(VerbError) in
      unknown = []
      for term in terms where !list.remove(term) { unknown.append(term) }
      if unknown.count == terms.count {
        throw .found("There is no such term: \(unknown.joined(separator: ", ")).", .badValue, .nothingToActOn)
      }
    }
    if !unknown.isEmpty { output.remark("Not there: \(unknown.joined(separator: ", ")).") }
    return .done
  }

  func set(_ words: [String]) throws(VerbError) -> ExitStatus {
    let terms = try given(words)
    try change { list in list = TermList(terms.joined(separator: ",")) }
    return .done
  }

  func clear() throws(VerbError) -> ExitStatus {
    try change { list in list = TermList("") }
    return .done
  }

  func export(to file: String?) throws(VerbError) -> ExitStatus {
    let terms = TermList(try edit.read(TermList.setting)).terms
    return try Exchange.write(
      terms.joined(separator: "\n"), as: .array(terms.map { .string($0) }), to: file, output)
  }

  func importing(from file: String, replacing: Bool) throws(VerbError) -> ExitStatus {
    let text = try TextFile.contents(of: file, input: input)
    let terms = TermList(String(text.map { $0.isNewline ? "," : $0 })).terms
    guard !terms.isEmpty else { throw Exchange.empty(file, replacing ? "blurtctl terms clear" : nil) }
    var report = ImportReport()
    let (_, entry) = try edit.change { (list: inout TermList) in report = list.take(terms, replacing: replacing) }
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
    return report.print(output)
  }

  /// The terms of the command line: an argument may hold several.
  private func given(_ words: [String]) throws(VerbError) -> [String] {
    let terms = words.flatMap { TermList.split($0) }
    guard !terms.isEmpty else { throw .usage("Give a term that is not blank.") }
    return terms
  }

  private func change(_ body: (inout TermList) throws(VerbError) -> Void) throws(VerbError) {
    let (answer, entry) = try edit.change(body)
    let count = TermList(entry).terms.count
    output.answer("There \(count == 1 ? "is 1 term" : "are \(count) terms") now.", line: answer.line)
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
  }
}
