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

  func run() throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.last)
    output.text(answer.ack.text ?? "", line: answer.line)
    return .done
  }
}
