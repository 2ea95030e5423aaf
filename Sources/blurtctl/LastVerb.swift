internal import BlurtContract
internal import BlurtIPC

/// `last`: the last text, even if its paste failed.
struct LastVerb {
  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func run() throws(ControlClientError) -> ExitStatus {
    let answer = try conversation.ask(.last)
    guard answer.ack.result == .done else {
      output.problem(AnswerVerb.sentence(answer.ack, .last), line: answer.line, isText: true)
      return answer.ack.result.exitStatus
    }
    output.text(answer.ack.text ?? "", line: answer.line)
    return .done
  }
}
