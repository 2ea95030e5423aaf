internal import BlurtContract

/// The end of a dictation, or of a recording that was sent again, as `hold` and `--wait` print it.
struct OutcomeReport {
  let outcome: DictationOutcome

  init(_ outcome: DictationOutcome) { self.outcome = outcome }

  /// The JSON line: the outcome as `wait` has it on the wire.
  var line: [UInt8] { MessageCoder.encode(.object(["outcome": .object(outcome.members)])) }

  /// Prints the text, or why there is none, and says how the program ends.
  func print(_ output: Output) -> ExitStatus {
    let text = outcome.text ?? ""
    if hasFailed {
      let sentence = outcome.message ?? "The dictation failed."
      if text.isEmpty {
        output.problem(sentence, line: line, isText: true)
      } else {
        // The text exists although its paste failed.
        output.text(text, line: line)
        output.remark("blurtctl: \(sentence)")
      }
      return .failed
    }
    switch outcome.phase {
    case .cancelled?: output.remark(outcome.message ?? "Cancelled.")
    case .noTarget?:
      output.remark(outcome.message ?? "No text field had the focus. The text is on the clipboard.")
    case .idle?, .pasted?, .failed?, .connecting?, .recording?, .transcribing?, .injecting?, nil:
      if text.isEmpty { output.remark(outcome.message ?? "Nothing was said.") }
    }
    output.text(text, line: line)
    return .done
  }

  /// A recording that was sent again has no phase: the error alone tells.
  private var hasFailed: Bool { outcome.phase == .failed || (outcome.phase == nil && outcome.errorKind != nil) }
}
