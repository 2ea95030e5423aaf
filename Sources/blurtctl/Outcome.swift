internal import BlurtContract

/// How a dictation went, gathered from the events of a watcher: what `--wait` and `hold` wait for.
struct Outcome {
  /// Which dictation; nil takes whichever ends next.
  private let dictation: UInt64?
  private var delivery: DeliveryEvent?
  /// The terminal phase, once it has come.
  private(set) var end: PhaseEvent?

  init(dictation: UInt64?) { self.dictation = dictation }

  /// Takes an event. Those of other dictations change nothing.
  mutating func take(_ event: SessionEvent) {
    switch event {
    case .delivery(let event) where isMine(event.dictation): delivery = event
    case .phase(let event) where isMine(event.dictation) && event.phase.isTerminal && end == nil: end = event
    case .phase, .delivery, .level, .notice, .listening, .settings: break
    }
  }

  private func isMine(_ other: UInt64?) -> Bool { dictation == nil || other == dictation }

  var text: String { delivery?.text ?? "" }

  /// The JSON line: the terminal phase, the text, who spoke it, and what went wrong.
  var line: [UInt8] {
    var members: JSONObject = ["text": .string(text)]
    if let end { members["phase"] = .string(end.phase.rawValue) }
    if let number = end?.dictation ?? dictation { members["dictation"] = .integer(Int64(clamping: number)) }
    if let engine = delivery?.engine { members["engine"] = .string(engine) }
    if let engine = delivery?.fellBackFrom { members["fellBackFrom"] = .string(engine) }
    if let kind = end?.errorKind { members["errorKind"] = .string(kind) }
    if let message = end?.message { members["message"] = .string(message) }
    return MessageCoder.encode(.object(["outcome": .object(members)]))
  }

  /// Prints the text, or why there is none, and says how the program ends.
  func report(_ output: Output) -> ExitStatus {
    guard let end else { return .failed }
    switch end.phase {
    case .failed:
      let sentence = end.message ?? "The dictation failed."
      if text.isEmpty {
        output.problem(sentence, line: line, isText: true)
      } else {
        // The text exists although its paste failed.
        output.text(text, line: line)
        output.remark("blurtctl: \(sentence)")
      }
      return .failed
    case .idle: output.remark("Nothing was said.")
    case .cancelled: output.remark("Cancelled.")
    case .noTarget: output.remark(end.label ?? "No text field had the focus. The text is on the clipboard.")
    case .pasted, .connecting, .recording, .transcribing, .injecting: break
    }
    output.text(text, line: line)
    return .done
  }
}
