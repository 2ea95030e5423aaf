internal import BlurtContract
internal import BlurtIPC

/// `watch`: shows every event until it is interrupted or the daemon goes away (B-42: then it ends, once, with status 6).
struct WatchVerb {
  private let conversation: Conversation
  private let output: Output
  private let options: WatchOptions

  init(_ conversation: Conversation, _ output: Output, _ options: WatchOptions) {
    self.conversation = conversation
    self.output = output
    self.options = options
  }

  func run() throws(ControlClientError) -> ExitStatus {
    let answer = try conversation.ask(.watch(options))
    guard answer.ack.result == .done else {
      output.problem(AnswerVerb.sentence(answer.ack, .watch(options)), line: answer.line)
      return answer.ack.result.exitStatus
    }
    while true {
      guard case .message(let message, let line) = try conversation.client.wait() else { continue }
      switch message {
      case .event(let event): output.answer(PhaseText.sentence(event), line: line)
      // JSON is passed on as it came: the reader may know more than this program.
      case .unknown: output.answer("Something that only a newer blurtctl knows.", line: line)
      case .ack, .error: continue
      }
    }
  }
}
