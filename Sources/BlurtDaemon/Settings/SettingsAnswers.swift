internal import BlurtContract
internal import BlurtCues
internal import BlurtEngine

/// What `settings`, `set`, `unset` and `edit` answer. Blocks on the file.
struct SettingsAnswers: Sendable {
  let file: SettingsFile
  let prefix: String
  var packs = CueCatalogue.packs
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
    case .edit(let change):
      guard let row = row(change.setting) else { return unknown(change.setting, command) }
      return edit(row, change, command)
    case .press, .release, .cancel, .cancelRecording, .toggle, .watch, .wait, .presence, .status, .last, .recent,
      .transcribe, .spool, .retry, .discard, .reset, .keys, .setKey, .devices, .sounds, .playSound, .apiKey, .setApiKey,
      .clearApiKey, .doctor:
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
    var (value, defaultValue) = (reading.value, row.defaultValue)
    var choices = row.choices
    if row.key == .soundPack {
      // The packs are the host's, so the engine's table cannot name them (P-48). One decode rule for all readers (P-50).
      choices = packs.packs.map(\.id)
      value = .string(SoundPackStore(backing: file, prefix: prefix).pack(in: packs).id)
      defaultValue = .string(packs.defaultPack.id)
    }
    return SettingEntry(
      setting: name, type: row.type.rawValue, value: value?.json ?? .null,
      defaultValue: defaultValue?.json ?? .null, isSet: stored != nil && stored != .null, summary: row.summary,
      choices: choices.isEmpty ? nil : choices, minimum: row.range?.lowerBound, maximum: row.range?.upperBound,
      unit: row.unit, hasEntries: row.entries != nil, limits: row.limits.isEmpty ? nil : row.limits,
      problem: reading.problem)
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

  /// What only the other settings and this host can tell of a value: the active style and a sound pack must be among
  /// those that there are.
  private func refusal(of value: SettingValue, _ row: SettingDescription) -> SettingRefusal? {
    let sounds: Result<SettingValue, SettingRefusal>? =
      switch row.key {
      case .soundPack: SoundPackStore.normalise(value, catalogue: packs)
      case .triggerKeySounds: TriggerKeySoundStore.normalise(value, catalogue: packs)
      default: nil
      }
    if case .failure(let refusal)? = sounds { return refusal }
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
    write(row, command) { document in
      expected.map { holds($0, row, document) } ?? true ? .success(value) : .failure(.conflict)
    }
  }

  /// Puts and removes entries of the value in force, which is looked at when the file is written.
  private func edit(_ row: SettingDescription, _ change: EntryChange, _ command: ClientCommand) -> CommandAck {
    guard let entries = row.entries else {
      return refused(row, SettingRefusal("it has no entries, set it as a whole"), command)
    }
    let (put, expected) = (change.put.map { SettingValue($0) }, change.expected.map { SettingValue($0) })
    guard put != .some(nil), expected != .some(nil) else {
      return refused(row, SettingRefusal("null is no entry of a setting"), command)
    }
    return write(row, command) { document in
      let outcome = entries.changing(
        file.reading(row, in: document).value, putting: put ?? nil, removing: change.remove, expected: expected ?? nil)
      switch outcome {
      case .conflict: return .failure(.conflict)
      case .refused(let refusal): return .failure(.refused(refusal))
      case .changed(let value):
        // With the last entry the setting goes as well.
        return value == row.defaultValue ? .success(nil) : row.storing(value).map { $0 }.mapError { .refused($0) }
      }
    }
  }

  /// Why a value was not written.
  private enum Hindrance: Error {
    case conflict
    case refused(SettingRefusal)
  }

  /// Writes what the closure makes of the settings as they are, nil for the default. It may be called more than once.
  private func write(
    _ row: SettingDescription, _ command: ClientCommand,
    _ value: (SettingsDocument) -> Result<SettingValue?, Hindrance>
  ) -> CommandAck {
    let name = row.key.name(prefix: prefix)
    var hindrance: Hindrance?
    do throws(SettingsFileError) {
      let setAside = try file.change { document in
        switch value(document) {
        case .success(let value):
          hindrance = nil
          if row.key == .triggerKeyCode { self.bind(value, in: &document) }
          document[name] = value?.json
          return true
        case .failure(let found):
          hindrance = found
          return false
        }
      }
      switch hindrance {
      case nil: return answer(command, row, message: setAside.map { moved(to: $0, row) } ?? file.problem)
      case .conflict?:
        return answer(
          command, row, .failed, reason: .conflict,
          message: "\(name) has another value by now than was expected: look at it and try again.")
      case .refused(let refusal)?: return refused(row, refusal, command)
      }
    } catch {
      return command.ack(.failed, reason: .notWritable, message: error.description)
    }
  }

  /// A key that is chosen as the one that dictates does so, also where it had been turned off (H-57).
  private func bind(_ code: SettingValue?, in document: inout SettingsDocument) {
    guard case .number(let number)? = code, let key = Int(exactly: number).flatMap(TriggerKey.init(code:)) else {
      return
    }
    let old = TriggerKeyBindingStore(backing: DocumentBacking(document: document), prefix: prefix).current()
    var new = old
    new.bind(key)
    for (setting, value) in TriggerKeyBindingStore.changes(from: old, to: new) {
      document[setting.name(prefix: prefix)] = value?.json
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
