internal import Synchronization

/// One dictation from its press to its end: what the press knew, what became known later, and its recording.
final class Dictation: Sendable {
  private struct State {
    var recording: (any KeptRecording)?
    var upload: Task<Transcript, any Error>?
    var isClosed = false
  }

  let tasks: DictationTasks
  let focus = FocusReading()
  let style: DictationStyle?
  let keyTerms: [String]
  /// Spoken texts, oldest first (S-96), as they stood at the press.
  let history: [String]
  /// The engine that was to speak, where the host could tell.
  let engine: EngineKind?
  private let state: Mutex<State>

  init(
    tasks: DictationTasks, recording: (any KeptRecording)?, style: DictationStyle?, keyTerms: [String],
    history: [String], engine: EngineKind?
  ) {
    self.tasks = tasks
    self.style = style
    self.keyTerms = keyTerms
    self.history = history
    self.engine = engine
    state = Mutex(State(recording: recording))
  }

  var number: UInt64 { tasks.number }

  /// The request in flight; nil before the microphone was live and after it was abandoned.
  var upload: Task<Transcript, any Error>? { state.withLock { $0.upload } }

  func open(_ upload: Task<Transcript, any Error>) {
    state.withLock { $0.upload = upload }
    tasks.attach(.upload) { upload.cancel() }
  }

  /// Cancels the request and forgets it (S-66).
  func abandonUpload() {
    tasks.revoke([.upload])
    forgetUpload()
  }

  /// The request has ended by itself.
  func forgetUpload() {
    tasks.detach(.upload)
    state.withLock { $0.upload = nil }
  }

  /// All that is known now.
  var context: TranscriptionContext {
    let field = focus.field.value
    return TranscriptionContext(
      appName: focus.target.value?.name, windowTitle: field?.windowTitle, fieldLabel: field?.fieldLabel,
      priorText: field?.priorText, selectedText: field?.selectedText, recentTranscripts: history, keyTerms: keyTerms,
      styleInstructions: style?.instructions, isSecureTarget: field?.isSecure ?? false)
  }

  /// Whether the words may be remembered: the field is known, and it is not a secure one (S-78).
  var mayBeRemembered: Bool {
    switch focus.field {
    case .outstanding: false
    case .given(let field): !(field?.isSecure ?? false)
    }
  }

  /// Writes down in the recording what became known.
  func note(engine: EngineKind?) {
    let recording = state.withLock { $0.recording }
    recording?.note(target: focus.target.value, engine: engine)
  }

  /// Closes the recording. The first call counts; it alone returns true.
  func close(_ fate: RecordingFate) -> Bool {
    let (recording, isFirst) = state.withLock { state in
      defer { state.isClosed = true }
      return (state.recording.take(), !state.isClosed)
    }
    recording?.close(fate)
    return isFirst
  }
}
