internal import BlurtContract
internal import BlurtIPC
internal import Glibc

/// `transcribe FILE.wav`: the text of a file. Takes as long as it takes, once the daemon has shown that it is there.
struct TranscribeVerb {
  private let conversation: Conversation
  private let output: Output
  private let file: String

  init(_ conversation: Conversation, _ output: Output, file: String) {
    self.conversation = conversation
    self.output = output
    self.file = file
  }

  func run() throws(ControlClientError) -> ExitStatus {
    let path = SocketPath.absolute(file)
    guard access(path, R_OK) == 0 else {
      let sentence = "\(file): \(String(cString: strerror(errno))). Give a readable WAV file."
      output.problem(sentence, line: Program.problemLine(.badFile, sentence), isText: true)
      return .usage
    }
    // The handshake: a daemon that hangs must not look like one that works on the file.
    _ = try conversation.ask(.status)
    let action = ClientCommand.Action.transcribe(path: path)
    let answer = try conversation.askPatiently(action)
    guard answer.ack.result == .done else {
      output.problem(AnswerVerb.sentence(answer.ack, action), line: answer.line, isText: true)
      return answer.ack.result.exitStatus
    }
    if (answer.ack.text ?? "").isEmpty { output.remark("Nothing was said.") }
    output.text(answer.ack.text ?? "", line: answer.line)
    return .done
  }
}
