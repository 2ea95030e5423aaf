internal import BlurtContract
internal import BlurtIPC

/// `spool list` and `spool discard`: the recordings that were kept.
struct SpoolVerb {
  private let conversation: Conversation
  private let output: Output
  private let console: Console

  init(_ conversation: Conversation, _ output: Output, _ console: Console) {
    self.conversation = conversation
    self.output = output
    self.console = console
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.spool)
    let recordings = answer.ack.recordings ?? []
    if namesOnly {
      output.text(recordings.map(\.id).joined(separator: "\n"), line: answer.line)
    } else {
      output.answer(text(recordings), line: answer.line)
    }
    return .done
  }

  func discard(_ id: String?, all: Bool, _ confirmation: Confirmation) throws(VerbError) -> ExitStatus {
    guard (id != nil) != all else { throw .usage("Give the ID of a recording, or --all. See: blurtctl spool list") }
    if all {
      guard try confirmation.isGiven("Remove every kept recording for good?") else { return .failed }
    }
    let answer = try conversation.answerPatiently(.discard(recording: id))
    output.answer(answer.ack.message ?? (all ? "All are removed." : "Removed."), line: answer.line)
    return .done
  }

  private func text(_ recordings: [RecordingEntry]) -> String {
    guard !recordings.isEmpty else { return "No recording is kept." }
    let now = console.wallTime()
    var table = TextTable()
    for entry in recordings {
      table.add([
        entry.id, RelativeTime.label(of: entry.startedAt, now: now), Self.length(entry.durationMilliseconds),
        entry.state + (entry.isComplete ? "" : ", incomplete"),
        [entry.target, entry.engine, entry.message ?? entry.errorKind].compactMap { $0 }.joined(separator: ", "),
      ])
    }
    return table.text(width: output.width)
  }

  /// `4.2 s`, `3:07 min`.
  static func length(_ milliseconds: Int) -> String {
    let tenths = max(0, milliseconds) / 100
    guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = tenths / 10 % 60
    return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds) min"
  }
}
