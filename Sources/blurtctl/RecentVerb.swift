internal import BlurtContract
internal import BlurtIPC

/// `recent`: the last dictations, newest first (S-93, Y-23).
struct RecentVerb {
  private let conversation: Conversation
  private let output: Output
  private let console: Console

  init(_ conversation: Conversation, _ output: Output, _ console: Console) {
    self.conversation = conversation
    self.output = output
    self.console = console
  }

  func run(count: Int?) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.recent(count: count))
    output.answer(text(answer.ack.recent ?? []), line: answer.line)
    return .done
  }

  private func text(_ entries: [RecentEntry]) -> String {
    guard !entries.isEmpty else { return "Nothing has been dictated yet." }
    let now = console.wallTime()
    var table = TextTable()
    for entry in entries {
      table.add([RelativeTime.label(of: entry.at, now: now), entry.style ?? "", entry.text])
    }
    return table.text(width: output.width)
  }
}
