internal import BlurtContract
internal import BlurtIPC

/// Reads settings, and changes one by comparing and writing: what another client changed meanwhile is never lost.
struct SettingEdit {
  private let conversation: Conversation

  init(_ conversation: Conversation) { self.conversation = conversation }

  /// A setting as the daemon has it.
  func read(_ setting: String) throws(VerbError) -> SettingEntry {
    try Self.entry(setting, conversation.answer(.settings(setting: setting)))
  }

  /// Changes a setting: the closure gets the value in force and gives the new one, nil for the default. When another
  /// client was faster it is called once more, with what that one has left.
  func change(
    _ setting: String, _ change: (JSONValue) throws(VerbError) -> JSONValue?
  ) throws(VerbError) -> (answer: ControlClient.Answer, entry: SettingEntry) {
    let before = try read(setting).value
    do throws(VerbError) {
      return try write(setting, before, change)
    } catch {
      guard error.isRefusal(.conflict) else { throw error }
      let now = try Self.entry(setting, conversation.answerPatiently(.settings(setting: setting))).value
      return try write(setting, now, change)
    }
  }

  /// As long as it takes: the disk may be slow, and the daemon has shown that it is there.
  private func write(
    _ setting: String, _ before: JSONValue, _ change: (JSONValue) throws(VerbError) -> JSONValue?
  ) throws(VerbError) -> (answer: ControlClient.Answer, entry: SettingEntry) {
    let answer: ControlClient.Answer
    if let value = try change(before) {
      answer = try conversation.answerPatiently(Self.command(setting, value, expected: before))
    } else {
      answer = try conversation.answerPatiently(.unset(setting: setting, expected: before))
    }
    return (answer, try Self.entry(setting, answer))
  }

  /// Two long lists may not fit into one line; then the comparison is left out, and a value that is too long even alone is
  /// refused here, since the daemon would hang up.
  private static func command(
    _ setting: String, _ value: JSONValue, expected: JSONValue
  ) throws(VerbError) -> ClientCommand.Action {
    for expected in [expected, nil] {
      let action = ClientCommand.Action.set(setting: setting, value: value, expected: expected)
      let line = MessageCoder.encode(ClientCommand(id: String(repeating: "0", count: 32), action, client: "blurtctl"))
      if line.count <= SessionContract.longestRequestLine { return action }
    }
    throw .found(
      "Together that is more than \(SessionContract.longestRequestLine) bytes, which one request cannot hold: shorten "
        + "or remove some.", .badValue, .failed)
  }

  private static func entry(_ setting: String, _ answer: ControlClient.Answer) throws(VerbError) -> SettingEntry {
    guard let entry = answer.ack.settings?.first(where: { $0.setting == setting }) else {
      throw .found("blurtd did not say what \(setting) is: update it.", .fault, .failed)
    }
    return entry
  }
}
