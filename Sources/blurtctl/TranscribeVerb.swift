internal import BlurtContract
internal import BlurtIPC
internal import Glibc

/// `transcribe FILE`: the text of a file. Takes as long as it takes, once the daemon has shown that it is there.
struct TranscribeVerb {
  private let conversation: Conversation
  private let output: Output
  private let file: String
  /// Nil: the one that dictations use.
  private let engine: String?

  init(_ conversation: Conversation, _ output: Output, file: String, engine: String?) {
    self.engine = engine
    self.conversation = conversation
    self.output = output
    self.file = file
  }

  func run() throws(VerbError) -> ExitStatus {
    let path = SocketPath.absolute(file)
    guard access(path, R_OK) == 0 else {
      let reason = String(cString: strerror(errno))
      throw .found("\(file): \(reason). Give a readable WAV, FLAC or Ogg file.", .badFile, .usage)
    }
    // The handshake: a daemon that hangs must not look like one that works on the file.
    _ = try conversation.ask(.status)
    let answer = try conversation.answerPatiently(.transcribe(path: path, engine: engine))
    if (answer.ack.text ?? "").isEmpty { output.remark("Nothing was said.") }
    output.text(answer.ack.text ?? "", line: answer.line)
    return .done
  }
}
