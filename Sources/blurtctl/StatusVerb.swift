internal import BlurtContract
internal import BlurtIPC

/// `status`: how the daemon is.
struct StatusVerb {
  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func run() throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.status)
    guard let status = answer.ack.status else {
      throw .found("blurtd did not say how it is: update it.", .fault, .failed)
    }
    output.answer(Self.text(status, width: output.width), line: answer.line)
    return .done
  }

  /// One row for each thing the daemon told, none of them twice.
  static func text(_ status: DaemonStatus, width: Int) -> String {
    var rows: [(String, String)] = [
      (
        "blurtd",
        "\(status.version), protocol \(status.protocolNumber)" + (status.processID.map { ", process \($0)" } ?? "")
      )
    ]
    if let phase = status.phase { rows.append(("phase", phase.rawValue)) }
    if status.listening == false { rows.append(("listening", "no. \(why(status))")) }
    if status.listening == true { rows.append(("listening", "yes")) }
    if let window = status.window, window != .open || status.listening == nil {
      rows.append(("window", window.rawValue))
    }
    if let owner = status.owner { rows.append(("owner", owner)) }
    if let engine = status.engine {
      rows.append(("engine", engine + (status.fallbackEngine.map { ", then \($0)" } ?? "")))
    }
    if let apiKey = status.apiKey { rows.append(("API key", apiKey ? status.apiKeyDisplay ?? "present" : "none")) }
    if status.stayLocal == true { rows.append(("stay local", "yes: audio does not leave this machine")) }
    for (name, part) in [
      ("trigger key", status.hotkey), ("microphone", status.microphone), ("display", status.display),
    ] {
      guard var part else { continue }
      if let hint = part.hint, isSaid(hint, rows) { part.hint = nil }
      rows.append((name, text(part)))
    }
    if let spool = status.spool {
      let interrupted = spool.interrupted > 0 ? ", \(spool.interrupted) of them interrupted" : ""
      let place = spool.recordings > 0 ? spool.folder.map { " in \($0)" } ?? "" : ""
      rows.append(("recordings kept", "\(spool.recordings)\(interrupted)\(place)"))
    }
    if let message = status.message, !isSaid(message, rows) { rows.append(("note", message)) }
    let column = rows.map(\.0.count).max() ?? 0
    return rows.map { name, value in
      TerminalText.hanging(name + String(repeating: " ", count: column - name.count + 2), value, width: width)
    }.joined(separator: "\n")
  }

  /// Why it does not listen: the note where that says the same with another remedy, since it knows more.
  private static func why(_ status: DaemonStatus) -> String {
    let reason = (status.reason ?? .fault).text
    guard let note = status.message, note.contains(":"),
      note.prefix(while: { $0 != ":" }) == reason.prefix(while: { $0 != ":" })
    else { return reason }
    return note
  }

  private static func isSaid(_ sentence: String, _ rows: [(String, String)]) -> Bool {
    rows.contains { $0.1.hasSuffix(sentence) }
  }

  private static func text(_ part: PartStatus) -> String {
    let ready = part.ready.map { $0 ? "ready" : "not ready" }
    let words = [part.device, ready].compactMap { $0 }.joined(separator: ", ")
    guard let hint = part.hint else { return words.isEmpty ? "unknown" : words }
    return words.isEmpty ? hint : "\(words). \(hint)"
  }
}
