internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// `hold`: presses with a lease on this connection, releases at Enter, at the end of input or at a signal, and prints the
/// text. If the program dies, the connection ends and the daemon releases (S-132).
struct HoldVerb {
  private let conversation: Conversation
  private let output: Output
  private let console: Console

  init(_ conversation: Conversation, _ output: Output, _ console: Console) {
    self.conversation = conversation
    self.output = output
    self.console = console
  }

  func run() throws(ControlClientError) -> ExitStatus {
    // Before the press: a signal during the bring-up is kept and releases after it (Y-151).
    let signals = console.signals()
    // A background job must not be stopped for looking at the terminal's input.
    signal(SIGTTIN, SIG_IGN)
    _ = try conversation.ask(.watch(WatchOptions(results: true)))
    var early: [SessionEvent] = []
    let answer = try conversation.ask(.press(key: nil, lease: true)) { early.append($0) }
    guard answer.ack.result == .started else {
      output.problem(
        AnswerVerb.sentence(answer.ack, .press(key: nil, lease: true)), line: answer.line, isText: true)
      return answer.ack.result.exitStatus
    }
    var holding = Holding(outcome: Outcome(dictation: answer.ack.dictation), input: console.input, signals: signals)
    if answer.ack.dictation != nil { for event in early { show(event, &holding) } }
    while holding.outcome.end == nil {
      switch try conversation.client.wait(until: holding.answerDue, or: holding.watched) {
      case .message(.event(let event), _): show(event, &holding)
      case .message(.ack(let ack), _): if ack.id == holding.openCommand { holding.answered() }
      case .message: break
      case .timedOut: throw .noAnswer
      case .readable(let descriptor): try act(on: descriptor, &holding)
      }
    }
    return holding.outcome.report(output)
  }

  private func show(_ event: SessionEvent, _ holding: inout Holding) {
    holding.outcome.take(event)
    guard case .phase(let phase) = event, !phase.phase.isTerminal else { return }
    switch phase.phase {
    case .recording: output.progress("Speak now." + (isatty(console.input) == 1 ? " Enter ends the recording." : ""))
    case .connecting, .transcribing, .injecting: output.progress(PhaseText.sentence(phase))
    case .idle, .pasted, .noTarget, .failed, .cancelled: break
    }
  }

  private func act(on descriptor: Int32, _ holding: inout Holding) throws(ControlClientError) {
    let action: ClientCommand.Action
    if descriptor == holding.signals {
      drain(descriptor)
      action = holding.isReleased ? .cancel : .release
    } else {
      guard let ended = inputEnded(descriptor) else {
        holding.input = nil
        return
      }
      guard ended else { return }
      action = .release
    }
    let command = conversation.command(action)
    try conversation.client.send(command)
    holding.asked(command.id, until: MonotonicClock.now() + SessionContract.pressHandshakeTimeout)
  }

  /// Reads what has come. True at a newline or at the end; nil when the terminal belongs to another job.
  private func inputEnded(_ descriptor: Int32) -> Bool? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let code = errno
    if count < 0 { return code == EINTR || code == EAGAIN ? false : code == EIO ? nil : true }
    return count == 0 || bytes[..<count].contains(UInt8(ascii: "\n"))
  }

  private func drain(_ descriptor: Int32) {
    // More than one signalfd_siginfo, which is 128 bytes.
    var bytes = [UInt8](repeating: 0, count: 1024)
    _ = Glibc.read(descriptor, &bytes, bytes.count)
  }
}
