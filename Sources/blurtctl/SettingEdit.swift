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

  /// Changes a setting that is a list: the closure gets the one in force. When another client was faster it is called once
  /// more, with what that one has left.
  func change<List: EntryList>(
    _ change: (inout List) throws(VerbError) -> Void
  ) throws(VerbError) -> (answer: ControlClient.Answer, entry: SettingEntry) {
    let before = try read(List.setting)
    do throws(VerbError) {
      return try write(before, change)
    } catch {
      guard error.isRefusal(.conflict) else { throw error }
      let now = try Self.entry(List.setting, conversation.answerPatiently(.settings(setting: List.setting)))
      return try write(now, change)
    }
  }

  /// As long as it takes: the disk may be slow, and the daemon has shown that it is there. A list that does not fit into one
  /// request is changed entry by entry, as many at once as fit.
  private func write<List: EntryList>(
    _ before: SettingEntry, _ change: (inout List) throws(VerbError) -> Void
  ) throws(VerbError) -> (answer: ControlClient.Answer, entry: SettingEntry) {
    let old = List(before)
    var new = old
    try change(&new)
    let whole: ClientCommand.Action =
      new.value.map { .set(setting: List.setting, value: $0, expected: before.value) }
      ?? .unset(setting: List.setting, expected: before.value)
    if Self.fits(whole) { return try send(whole, List.setting) }
    let fits = { (change: EntryChange) in Self.fits(.edit(change)) }
    guard let changes = EntryBatches.changes(of: List.self, from: old, to: new, fits: fits) else {
      throw .found(
        "One entry is longer than the \(SessionContract.longestRequestLine) bytes that a request can hold: shorten it.",
        .badValue, .failed)
    }
    var result: (answer: ControlClient.Answer, entry: SettingEntry)?
    for change in changes { result = try send(.edit(change), List.setting) }
    // Nothing was different.
    if let result { return result }
    let answer = try conversation.answerPatiently(.settings(setting: List.setting))
    return (answer, try Self.entry(List.setting, answer))
  }

  private func send(
    _ action: ClientCommand.Action, _ setting: String
  ) throws(VerbError) -> (answer: ControlClient.Answer, entry: SettingEntry) {
    let answer = try conversation.answerPatiently(action)
    return (answer, try Self.entry(setting, answer))
  }

  /// Whether a request is short enough; the daemon hangs up on a longer one.
  static func fits(_ action: ClientCommand.Action) -> Bool {
    let line = MessageCoder.encode(ClientCommand(id: String(repeating: "0", count: 32), action, client: "blurtctl"))
    return line.count <= SessionContract.longestRequestLine
  }

  private static func entry(_ setting: String, _ answer: ControlClient.Answer) throws(VerbError) -> SettingEntry {
    guard let entry = answer.ack.settings?.first(where: { $0.setting == setting }) else {
      throw .found("blurtd did not say what \(setting) is: update it.", .fault, .failed)
    }
    return entry
  }
}
