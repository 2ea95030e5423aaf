internal import BlurtContract
internal import BlurtIPC

/// `reset`: removes settings, API key, kept recordings, remembered texts and logs, and names what survived (P-65).
struct ResetVerb {
  /// Names all that goes, since none of it comes back.
  static let question =
    "Remove every setting, the stored API key, the kept recordings, the remembered texts and the logs? "
    + "Copies named settings.json.broken stay."

  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func run(_ confirmation: Confirmation) throws(VerbError) -> ExitStatus {
    guard try confirmation.isGiven(Self.question) else { return .failed }
    // The handshake: the reset itself may wait for the store of the key.
    _ = try conversation.ask(.status)
    let answer = try conversation.askPatiently(.reset)
    guard let steps = answer.ack.steps, !steps.isEmpty else {
      guard answer.ack.result == .done else { throw .refused(answer.ack, line: answer.line, .reset) }
      output.answer("Done.", line: answer.line)
      return .done
    }
    output.answer(steps.map(Self.text).joined(separator: "\n"), line: answer.line)
    return answer.ack.result == .done && !steps.contains { $0.state == .failed } ? .done : .failed
  }

  private static func text(_ step: ResetStep) -> String {
    let state =
      switch step.state {
      case .removed: "removed"
      case .failed: "NOT removed"
      case .information: "to know"
      }
    return "\(step.step): \(state)" + (step.message.map { ". \($0)" } ?? "")
  }
}
