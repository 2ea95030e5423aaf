internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// `watch`: shows every event until it is interrupted, until nobody reads its output any more, or until the daemon goes
/// away (B-42: then it ends, once, with status 6).
struct WatchVerb {
  private let output: Output
  private let console: Console
  private let switches: Set<CommandTable.Option>

  init(_ output: Output, _ console: Console, switches: Set<CommandTable.Option>) {
    self.output = output
    self.console = console
    self.switches = switches
  }

  func run(_ conversation: Conversation) throws(VerbError) -> ExitStatus {
    prepare()
    if switches.contains(.meter) {
      var display = MeterDisplay(console)
      try follow(conversation, &display)
    } else {
      var display = LineDisplay(output: output)
      try follow(conversation, &display)
    }
    return .done
  }

  /// `--waybar`: goes on for ever, since a status bar never starts its program again. It connects only where a daemon runs
  /// already: a bar must not be what starts it.
  func runForBar(path: String) throws(VerbError) -> ExitStatus {
    prepare()
    var pause = ReconnectPause()
    var shown: StatusBar.Line?
    while true {
      var reason = FailureReason.noDaemon.text
      if DaemonProcess.isRunning(behind: path) {
        do throws(VerbError) {
          var display = BarDisplay(console, showsLevel: switches.contains(.levels))
          try follow(Conversation(path: path), &display) {
            pause.reset()
            shown = nil
          }
          return .done
        } catch {
          // Whatever it was, the bar waits for the next daemon. That it went is no news once it is known not to run.
          if !error.isAbsence { reason = error.sentence }
        }
      }
      let offline = StatusBar.offline(reason)
      if offline != shown { console.out(String(decoding: offline.json, as: UTF8.self)) }
      shown = offline
      if readerLeaves(within: pause.take()) { return .done }
    }
  }

  /// The end of the reader is looked for; it must not kill the program before its last words.
  private func prepare() { signal(SIGPIPE, SIG_IGN) }

  /// Shows what comes until nobody reads it.
  private func follow(
    _ conversation: Conversation, _ display: inout some WatchDisplay, onStart: () -> Void = {}
  ) throws(VerbError) {
    let options = WatchOptions(
      levels: !switches.isDisjoint(with: [.levels, .meter]), results: switches.contains(.results))
    let watch = conversation.command(.watch(options))
    try conversation.send(watch)
    // S-109; nil once the daemon has answered.
    var answerDue: Duration? = MonotonicClock.now() + SessionContract.pressHandshakeTimeout
    if switches.contains(.waybar) { try conversation.send(conversation.command(.status)) }
    var presence = Presence(isHeld: switches.contains(.own))
    defer { display.end() }
    while true {
      let now = MonotonicClock.now()
      if let answerDue, now >= answerDue { throw .client(.noAnswer) }
      if presence.isDue(at: now) {
        let command = conversation.command(.presence(onScreen: true))
        try conversation.send(command)
        presence.sent(command.id, at: now)
      }
      let due = [display.due, presence.due, answerDue].compactMap { $0 }.min()
      switch try conversation.wait(until: due, reader: console.outDescriptor) {
      case .message(.event(let event), let line): display.show(event, line: line, at: MonotonicClock.now())
      case .message(.unknown, let line): display.showUnknown(line: line)
      case .message(.ack(let ack), let line):
        if ack.id == watch.id {
          guard ack.result == .done else { throw .refused(ack, line: line, watch.action) }
          answerDue = nil
          onStart()
        }
        if let status = ack.status { display.show(status, at: MonotonicClock.now()) }
        if presence.isRefused(ack) { output.remark("Another client is on screen; this one waits for its turn.") }
      case .message(.error, _), .readable: continue
      case .timedOut: display.tick(at: MonotonicClock.now())
      case .readerGone: return
      }
    }
  }

  /// Waits; true when nobody reads the output any more.
  private func readerLeaves(within pause: Duration) -> Bool {
    let end = MonotonicClock.now() + pause
    while true {
      let left = Int32(clamping: Int64(((end - MonotonicClock.now()) / .milliseconds(1)).rounded(.up)))
      if left <= 0 { return false }
      // Without events only an error and a hang-up are reported; a negative descriptor is passed over.
      var set = pollfd(fd: console.outDescriptor ?? -1, events: 0, revents: 0)
      if poll(&set, 1, left) > 0 { return true }
    }
  }
}
