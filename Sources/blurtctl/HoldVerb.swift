internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// `hold`: presses with a lease on this connection, releases at Enter, at the end of input or at a signal, and prints the
/// text. If the program dies, the connection ends and the daemon releases; if it is stopped, its heartbeat ends and the
/// daemon releases as well (S-132).
struct HoldVerb {
  /// The silence after which the daemon releases: short enough that a stopped `hold` does not record for long.
  static let lease: Duration = .seconds(5)
  /// How often something is sent until then: two may be late before the lease ends.
  static let heartbeat: Duration = .milliseconds(1500)

  private let conversation: Conversation
  private let output: Output
  private let console: Console

  init(_ conversation: Conversation, _ output: Output, _ console: Console) {
    self.conversation = conversation
    self.output = output
    self.console = console
  }

  func run() throws(VerbError) -> ExitStatus {
    // Before the press: a signal during the bring-up is kept and releases after it (Y-151).
    let signals = console.signals()
    // A background job must not be stopped for looking at the terminal's input.
    signal(SIGTTIN, SIG_IGN)
    _ = try conversation.answer(.watch(WatchOptions(results: true)))
    var early: [SessionEvent] = []
    let press = ClientCommand.Action.press(key: nil, lease: .heartbeat(Self.lease))
    let answer = try conversation.ask(press) { early.append($0) }
    guard answer.ack.result == .started else { throw .refused(answer.ack, line: answer.line, press) }
    var holding = Holding(
      outcome: Outcome(dictation: answer.ack.dictation), input: console.input, signals: signals,
      heartbeatDue: MonotonicClock.now() + Self.heartbeat)
    if answer.ack.dictation != nil { for event in early { show(event, &holding) } }
    while true {
      if let end = holding.outcome.end { return OutcomeReport(ended(end)).print(output) }
      switch try conversation.wait(until: holding.due, or: holding.watched) {
      case .message(.event(let event), _): show(event, &holding)
      case .message(.ack(let ack), _): if ack.id == holding.openCommand { holding.answered() }
      case .message, .readerGone: break
      case .timedOut: try beat(&holding)
      case .readable(let descriptor): try act(on: descriptor, &holding)
      }
    }
  }

  /// The outcome as `wait` tells it. The events told most of it already, and are enough where the answer does not come.
  private func ended(_ seen: DictationOutcome) -> DictationOutcome {
    guard let dictation = seen.dictation else { return seen }
    do throws(VerbError) {
      return try conversation.ask(.wait(.dictation(dictation))).ack.outcome ?? seen
    } catch {
      // The daemon has gone, or does not know the command.
      return seen
    }
  }

  /// Any command is a sign of life. This one says what is true, that `hold` is on no screen, and changes nothing: presence
  /// is only taken away from who has it.
  private func beat(_ holding: inout Holding) throws(VerbError) {
    guard holding.heartbeatDue != nil else { throw .client(.noAnswer) }
    try conversation.send(conversation.command(.presence(onScreen: false)))
    holding.heartbeatDue = MonotonicClock.now() + Self.heartbeat
  }

  private func show(_ event: SessionEvent, _ holding: inout Holding) {
    holding.outcome.take(event)
    guard case .phase(let phase) = event, !phase.phase.isTerminal else { return }
    switch phase.phase {
    case .recording: output.progress("Speak now." + (console.inputIsTerminal ? " Enter ends the recording." : ""))
    case .connecting, .transcribing, .injecting: output.progress(PhaseText.sentence(phase))
    case .idle, .pasted, .noTarget, .failed, .cancelled: break
    }
  }

  private func act(on descriptor: Int32, _ holding: inout Holding) throws(VerbError) {
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
    try conversation.send(command)
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
