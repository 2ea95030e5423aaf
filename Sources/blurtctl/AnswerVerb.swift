internal import BlurtContract
internal import BlurtIPC

/// The commands whose result is the answer itself: `press`, `release`, `cancel`, `cancel-recording`, `toggle`.
struct AnswerVerb {
  private let conversation: Conversation
  private let output: Output
  private let action: ClientCommand.Action

  init(_ conversation: Conversation, _ output: Output, _ action: ClientCommand.Action) {
    self.conversation = conversation
    self.output = output
    self.action = action
  }

  func run() throws(ControlClientError) -> ExitStatus {
    let answer = try conversation.ask(action)
    report(answer)
    return answer.ack.result.exitStatus
  }

  /// With `waiting`, returns when the dictation has ended and prints its text. A toggle that starts one does not wait:
  /// nobody has ended it yet.
  func run(waiting: Bool) throws(ControlClientError) -> ExitStatus {
    guard waiting else { return try run() }
    var events: [SessionEvent] = []
    // Watching first: the end cannot be missed between the answer and the watch.
    _ = try conversation.ask(.watch(WatchOptions(results: true)))
    let answer = try conversation.ask(action) { events.append($0) }
    guard answer.ack.result == .done else {
      report(answer, isText: answer.ack.result != .started)
      return answer.ack.result.exitStatus
    }
    var outcome = Outcome(dictation: answer.ack.dictation)
    // Without a number the events before the answer may belong to an older dictation.
    if answer.ack.dictation != nil { for event in events { outcome.take(event) } }
    while outcome.end == nil {
      if case .message(.event(let event), _) = try conversation.client.wait() { outcome.take(event) }
    }
    return outcome.report(output)
  }

  private func report(_ answer: ControlClient.Answer, isText: Bool = false) {
    let sentence = Self.sentence(answer.ack, action)
    switch answer.ack.result {
    case .started, .done: output.answer(sentence, line: answer.line)
    case .busy, .notListening, .ignored, .notOwner, .failed:
      output.problem(sentence, line: answer.line, isText: isText)
    }
  }

  /// An answer in words.
  static func sentence(_ ack: CommandAck, _ action: ClientCommand.Action) -> String {
    if let message = ack.message { return message }
    switch ack.result {
    case .started: return "Started. End the recording with: blurtctl release"
    case .done:
      switch action.name {
      case .cancel: return "Cancelled."
      case .cancelRecording: return "Stopped. blurtctl status names what is kept."
      case .press, .release, .toggle: return "Recorded. The text is on its way."
      case .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .retry, .discard, .settings, .set,
        .unset, .reset, .doctor:
        return "Done."
      }
    case .busy:
      return "A dictation is already running: end it with blurtctl release, or abandon it with blurtctl cancel."
    case .notListening, .failed: return (ack.reason ?? .fault).text
    case .ignored:
      switch action.name {
      case .release: return "Nothing is being recorded."
      case .last: return "There is no text yet."
      case .press, .cancel, .cancelRecording, .toggle, .watch, .wait, .presence, .status, .transcribe:
        return "No dictation is running."
      case .recent, .spool, .retry, .discard, .settings, .set, .unset, .reset, .doctor: return "There is nothing."
      }
    case .notOwner: return "Another client owns this dictation: end it there."
    }
  }
}
