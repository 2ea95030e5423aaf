internal import BlurtContract
internal import BlurtIPC

/// `settings list`, `get`, `set` and `reset`.
struct SettingsVerb {
  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.settings(setting: nil))
    let entries = answer.ack.settings ?? []
    if namesOnly {
      output.text(entries.map(\.setting).joined(separator: "\n"), line: answer.line)
      return .done
    }
    output.answer(text(entries), line: answer.line)
    return .done
  }

  func get(_ name: String) throws(VerbError) -> ExitStatus {
    let (entry, line) = try find(name)
    output.text(
      output.isForPerson ? SettingText.described(entry, width: output.width) : SettingText.bare(entry.value),
      line: line)
    if let problem = entry.problem { output.remark("\(entry.setting): \(problem)") }
    return .done
  }

  func set(_ name: String, to word: String) throws(VerbError) -> ExitStatus {
    let (entry, _) = try find(name)
    guard let value = SettingText.value(word, type: entry.type) else {
      throw .usage("\(entry.setting) takes \(SettingText.taken(entry)), not \"\(word)\".")
    }
    let action = ClientCommand.Action.set(setting: entry.setting, value: value, expected: nil)
    guard SettingEdit.fits(action) else {
      throw .found(
        "That is more than \(SessionContract.longestRequestLine) bytes, which one request cannot hold"
          + (entry.hasEntries ? ": change its entries, or import them from a file." : "."), .badValue, .failed)
    }
    let answer = try conversation.answerPatiently(action)
    let now = answer.ack.settings?.first { $0.setting == entry.setting } ?? entry
    output.answer("\(entry.setting) is \(SettingText.shown(now.value, unit: now.unit)) now.", line: answer.line)
    if let problem = now.problem { output.remark("\(entry.setting): \(problem)") }
    return .done
  }

  func reset(_ name: String?, all: Bool, _ confirmation: Confirmation) throws(VerbError) -> ExitStatus {
    guard (name != nil) != all else { throw .usage("Give the name of a setting, or --all.") }
    guard let name else { return try resetAll(confirmation) }
    let (entry, _) = try find(name)
    let answer = try conversation.answerPatiently(.unset(setting: entry.setting, expected: nil))
    let now = answer.ack.settings?.first { $0.setting == entry.setting } ?? entry
    output.answer(
      "\(entry.setting) is \(SettingText.shown(now.value, unit: now.unit)) again.", line: answer.line)
    return .done
  }

  private func resetAll(_ confirmation: Confirmation) throws(VerbError) -> ExitStatus {
    guard try confirmation.isGiven("Put every setting back to its default?") else { return .failed }
    // A person may have taken longer than the handshake to answer.
    let stored = try conversation.answerPatiently(.settings(setting: nil)).ack.settings?.filter(\.isSet) ?? []
    for entry in stored { _ = try conversation.answerPatiently(.unset(setting: entry.setting, expected: nil)) }
    let answer = try conversation.answerPatiently(.settings(setting: nil))
    output.answer(
      stored.isEmpty
        ? "Every setting was at its default."
        : "At their defaults again: \(stored.map(\.setting).joined(separator: ", ")).",
      line: answer.line)
    return .done
  }

  /// The setting of that name, in whatever case, with or without its prefix; and the daemon's line that has it.
  private func find(_ name: String) throws(VerbError) -> (SettingEntry, line: [UInt8]) {
    do throws(VerbError) {
      let answer = try conversation.answer(.settings(setting: name))
      if let entry = answer.ack.settings?.first { return (entry, answer.line) }
    } catch {
      guard error.isRefusal(.unknownSetting) else { throw error }
    }
    let names = try conversation.answer(.settings(setting: nil)).ack.settings?.map(\.setting) ?? []
    let wanted = name.lowercased()
    guard let match = names.first(where: { $0.lowercased() == wanted || $0.lowercased() == "blurt" + wanted }) else {
      let hint = Nearest.hint(to: wanted.hasPrefix("blurt") ? name : "Blurt" + name, in: names)
      throw .found(
        "There is no setting \"\(name)\"." + (hint.isEmpty ? " See: blurtctl settings list" : hint), .unknownSetting,
        .failed)
    }
    let answer = try conversation.answer(.settings(setting: match))
    guard let entry = answer.ack.settings?.first else {
      throw .found("blurtd did not say what \(match) is: update it.", .fault, .failed)
    }
    return (entry, answer.line)
  }

  /// A line for each setting with its value; under it what it means, and what is wrong with it.
  private func text(_ entries: [SettingEntry]) -> String {
    var table = TextTable()
    for entry in entries {
      table.add(
        [SettingText.shortName(entry.setting), SettingText.shown(entry.value, unit: entry.unit)],
        mark: entry.isSet ? "* " : "  ")
    }
    let width = output.width
    return zip(entries, table.lines(width: width)).map { entry, line in
      ([line]
        + [entry.summary, entry.problem].compactMap { $0 }.filter { !$0.isEmpty }
        .map { TerminalText.hanging("    ", $0, width: width) }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
