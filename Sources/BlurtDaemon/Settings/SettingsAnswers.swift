internal import BlurtContract
internal import BlurtEngine

/// What `settings`, `set` and `unset` answer. Blocks on the file.
struct SettingsAnswers: Sendable {
  let file: SettingsFile
  let prefix: String
  /// `Listening` was set to true.
  var onListening: @Sendable () -> Void = {}

  func answer(_ command: ClientCommand) -> CommandAck {
    switch command.action {
    case .settings(nil): return list(command)
    case .settings(let name?):
      guard let row = row(name) else { return unknown(name, command) }
      return answer(command, row, message: file.problem)
    case .set(let name, let value, let expected):
      guard let row = row(name) else { return unknown(name, command) }
      return set(row, to: value, expected: expected, command)
    case .unset(let name, let expected):
      guard let row = row(name) else { return unknown(name, command) }
      return write(row, nil, expected: expected, command)
    case .press, .release, .cancel, .cancelRecording, .toggle, .watch, .wait, .presence, .status, .last, .recent,
      .transcribe, .spool, .retry, .discard, .reset, .apiKey, .setApiKey, .clearApiKey, .doctor:
      return command.ack(.failed, reason: .badRequest)
    }
  }

  // MARK: Reading

  private func list(_ command: ClientCommand) -> CommandAck {
    let document = file.current()
    var ack = command.ack(.done, message: file.problem)
    ack.settings = SettingsCatalogue.rows.map { entry($0, in: document) }.sorted { $0.setting < $1.setting }
    return ack
  }

  private func row(_ name: String) -> SettingDescription? {
    SettingsKey(named: name, prefix: prefix).map(SettingsCatalogue.row)
  }

  private func unknown(_ name: String, _ command: ClientCommand) -> CommandAck {
    // Only the beginning: whoever sends a secret by mistake does not get it back.
    command.ack(
      .failed, reason: .unknownSetting,
      message: "There is no setting \"\(name.prefix(40))\": blurtctl settings list shows them.")
  }

  private func entry(_ row: SettingDescription, in document: SettingsDocument) -> SettingEntry {
    let name = row.key.name(prefix: prefix)
    let reading = file.reading(row, in: document)
    let stored = document[name]
    return SettingEntry(
      setting: name, type: row.type.rawValue, value: reading.value?.json ?? .null,
      defaultValue: row.defaultValue?.json ?? .null, isSet: stored != nil && stored != .null, summary: row.summary,
      choices: row.choices.isEmpty ? nil : row.choices, minimum: row.range?.lowerBound, maximum: row.range?.upperBound,
      unit: row.unit, problem: reading.problem)
  }

  /// The answer that carries the setting as it is now.
  private func answer(
    _ command: ClientCommand, _ row: SettingDescription, _ result: CommandResult = .done,
    reason: FailureReason? = nil, message: String?
  ) -> CommandAck {
    var ack = command.ack(result, reason: reason, message: message)
    ack.settings = [entry(row, in: file.current())]
    return ack
  }

  // MARK: Writing

  private func set(
    _ row: SettingDescription, to value: JSONValue, expected: JSONValue?, _ command: ClientCommand
  ) -> CommandAck {
    let stored = SettingValue(value).map(row.storing) ?? .failure(SettingRefusal("null is no value of a setting"))
    switch stored {
    case .success(let stored):
      if let refusal = refusal(of: stored, row) { return refused(row, refusal, command) }
      let ack = write(row, stored, expected: expected, command)
      if ack.result == .done, row.key == .listening, stored == .bool(true) { onListening() }
      return ack
    case .failure(let refusal): return refused(row, refusal, command)
    }
  }

  private func refused(_ row: SettingDescription, _ refusal: SettingRefusal, _ command: ClientCommand) -> CommandAck {
    command.ack(
      .failed, reason: .badValue, message: "\(row.key.name(prefix: prefix)) is left as it was: \(refusal.reason).")
  }

  /// What only the other settings can tell of a value: the active style must be one of those that there are.
  private func refusal(of value: SettingValue, _ row: SettingDescription) -> SettingRefusal? {
    guard row.key == .activeStyleProfile, case .string(let id) = value, id != ActiveStyle.baseSentinel else {
      return nil
    }
    let ids = StyleProfileStore(backing: file, prefix: prefix).profiles.map(\.id)
    if ids.contains(id) { return nil }
    let others = ids.isEmpty ? "you have no style yet" : "yours are \(ids.joined(separator: ", "))"
    return SettingRefusal("there is no style \"\(id)\"; \(others), and \(ActiveStyle.baseSentinel) is none")
  }

  private func write(
    _ row: SettingDescription, _ value: SettingValue?, expected: JSONValue?, _ command: ClientCommand
  ) -> CommandAck {
    let name = row.key.name(prefix: prefix)
    var isExpected = true
    do throws(SettingsFileError) {
      let setAside = try file.change { document in
        isExpected = expected.map { self.holds($0, row, document) } ?? true
        if isExpected { document[name] = value?.json }
        return isExpected
      }
      guard isExpected else {
        return answer(
          command, row, .failed, reason: .conflict,
          message: "\(name) has another value by now than was expected: look at it and try again.")
      }
      return answer(command, row, message: setAside.map { moved(to: $0, row) } ?? file.problem)
    } catch {
      return command.ack(.failed, reason: .notWritable, message: error.description)
    }
  }

  private func moved(to setAside: String, _ row: SettingDescription) -> String {
    let sentence = "The settings file was broken. It was moved to \(setAside), not lost."
    guard row.key != .stayLocal, Settings(backing: file, prefix: prefix).staysLocal else { return sentence }
    return sentence + " Audio stays on this computer until you say: blurtctl settings set StayLocal false"
  }

  /// Whether that is the setting's value. `null` stands for one that is not set.
  private func holds(_ expected: JSONValue, _ row: SettingDescription, _ document: SettingsDocument) -> Bool {
    let value = file.reading(row, in: document).value
    guard let wanted = SettingValue(expected) else {
      return value == nil || (document[row.key.name(prefix: prefix)] ?? .null) == .null
    }
    if wanted == value { return true }
    guard case .success(let normalised) = row.normalise(wanted) else { return false }
    return normalised == value
  }
}
