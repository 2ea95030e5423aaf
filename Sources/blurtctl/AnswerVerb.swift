internal import BlurtContract
internal import BlurtIPC

/// The commands whose result is the answer itself: `press`, `release`, `cancel`, `cancel-recording`, `toggle`, `retry`.
struct AnswerVerb {
  private let conversation: Conversation
  private let output: Output
  private let action: ClientCommand.Action

  init(_ conversation: Conversation, _ output: Output, _ action: ClientCommand.Action) {
    self.conversation = conversation
    self.output = output
    self.action = action
  }

  /// With `waiting`, returns when the dictation has ended and prints its text. A toggle that starts one does not wait:
  /// nobody has ended it yet.
  func run(waiting: Bool = false) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(action)
    guard waiting, let target = target(answer.ack) else {
      output.answer(Self.sentence(answer.ack, action), line: answer.line)
      return .done
    }
    let ended = try conversation.answerPatiently(.wait(target))
    guard let outcome = ended.ack.outcome else {
      throw .found("blurtd did not say how the dictation ended: update it.", .fault, .failed)
    }
    return OutcomeReport(outcome).print(output)
  }

  /// What there is to wait for; nil where nothing comes to its end by itself.
  private func target(_ ack: CommandAck) -> WaitTarget? {
    switch action {
    case .retry(let recording, _): return (ack.recording ?? recording).map { .recording($0) } ?? .newest
    case .press, .release, .cancel, .cancelRecording, .toggle, .watch, .wait, .presence, .status, .last, .recent,
      .transcribe, .spool, .discard, .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds,
      .playSound, .apiKey, .setApiKey, .clearApiKey, .doctor:
      return ack.result == .started ? nil : ack.dictation.map { .dictation($0) } ?? .newest
    }
  }

  /// An answer in words.
  static func sentence(_ ack: CommandAck, _ action: ClientCommand.Action) -> String {
    if let message = ack.message { return message }
    switch ack.result {
    case .started, .done: return accepted(action, isStart: ack.result == .started)
    case .busy:
      return "A dictation is already running: end it with blurtctl release, or abandon it with blurtctl cancel."
    case .notListening, .failed: return (ack.reason ?? .fault).text
    case .ignored: return nothing(action)
    case .notOwner: return "Another client owns this dictation: end it there."
    }
  }

  private static func accepted(_ action: ClientCommand.Action, isStart: Bool) -> String {
    switch action.name {
    case .cancel: "Cancelled."
    case .cancelRecording: "Stopped. The recording is kept: blurtctl retry sends it, blurtctl spool lists it."
    case .press, .release, .toggle:
      isStart ? "Started. End the recording with: blurtctl release" : "Recorded. The text is on its way."
    case .retry: "It is being transcribed again. blurtctl last prints the text when it is there."
    case .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .discard, .settings, .set, .unset,
      .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey, .setApiKey, .clearApiKey, .doctor:
      "Done."
    }
  }

  private static func nothing(_ action: ClientCommand.Action) -> String {
    switch action.name {
    case .release: "Nothing is being recorded."
    case .last: "There is no text yet."
    case .spool, .retry, .discard: "No recording is kept."
    case .recent: "Nothing has been dictated yet."
    case .wait: "No dictation has been made yet."
    case .press, .cancel, .cancelRecording, .toggle, .watch, .presence, .status, .transcribe: "No dictation is running."
    case .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey, .setApiKey,
      .clearApiKey, .doctor:
      "There is nothing to do."
    }
  }
}
