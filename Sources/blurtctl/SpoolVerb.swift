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
    table.add(["ID", "BEGAN", "LENGTH", "STATE", "FROM"])
    for entry in recordings {
      table.add([
        entry.id, RelativeTime.label(of: entry.startedAt, now: now), Self.length(entry.durationMilliseconds),
        Self.words(entry.state) + (entry.isComplete ? "" : ", incomplete"),
        [entry.target, entry.engine].compactMap { $0 }.joined(separator: ", "),
      ])
    }
    let width = output.width
    let lines = table.lines(width: width)
    let rows = zip(recordings, lines.dropFirst()).map { entry, line in
      guard let reason = entry.message ?? entry.errorKind else { return line }
      return line + "\n" + TerminalText.hanging("  ", reason, width: width)
    }
    return (lines.prefix(1) + rows + ["Send one again: blurtctl retry ID"]).joined(separator: "\n")
  }

  /// A state in plain words; one that only a newer daemon knows as it is.
  static func words(_ state: String) -> String {
    switch state {
    case "recording": "being recorded"
    case "blank": "no speech found"
    case "recoveryCancelled": "kept by a stop"
    default: state
    }
  }

  /// `4.2 s`, `3:07 min`.
  static func length(_ milliseconds: Int) -> String {
    let tenths = max(0, milliseconds) / 100
    guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = tenths / 10 % 60
    return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds) min"
  }
}
