public import FoundationEssentials

extension DictationSession {
  /// Everything a session needs from its host.
  ///
  /// The closures are called on the session's own executor, one at a time and never under a lock: they may submit
  /// commands, and they must return quickly. `readinessCheck` and `onFailure` are called on the thread that submits a
  /// press as well, where that decides it, so possibly on several threads at once.
  public struct Dependencies: Sendable {
    public var microphone: any MicCaptureProtocol
    public var transcriber: any TranscriberProtocol
    public var injector: any InjectorProtocol
    public var focus: HostFocusCapture
    /// Nil where no recording is kept.
    public var recordings: (any RecordingStore)?
    /// S-50: asked at each press; names what stands in the way of a transcription. The answer to the press waits for it.
    public var readinessCheck: @Sendable () -> BlurtError?
    /// S-54: read again at each press.
    public var keyTerms: @Sendable () -> [String]
    /// The style of a press by that key; nil for base styling.
    public var style: @Sendable (_ key: Int?) -> DictationStyle?
    /// The engine that a press would speak to, for the recording's record; nil where that is not known.
    public var engine: @Sendable () -> EngineKind?
    /// S-71: replaces the user's shortcuts in the engine's text.
    public var expandShortcuts: @Sendable (String) -> String
    /// Runs auto-release and the wait for the focused field.
    public var clock: any Clock<Duration>
    /// Stamps remembered dictations and log lines.
    public var now: @Sendable () -> Date
    /// S-75: told before the paste.
    public var onDelivery: @Sendable (Delivery) -> Void
    /// Told once for each accepted press that has ended, with what becomes of its recording.
    /// Comes before the last phase is seen, except where a cancel has ended it.
    public var onEnd: @Sendable (_ dictation: UInt64, RecordingFate) -> Void
    /// S-12: told once for each failure.
    public var onFailure: @Sendable (DictationFailure) -> Void
    /// S-73: told for each text. The host asks for developer mode here, each time.
    public var onDictationLogged: (@Sendable (DictationLogEntry) -> Void)?

    public init(
      microphone: any MicCaptureProtocol,
      transcriber: any TranscriberProtocol,
      injector: any InjectorProtocol,
      focus: HostFocusCapture = .none,
      recordings: (any RecordingStore)? = nil,
      readinessCheck: @escaping @Sendable () -> BlurtError? = { nil },
      keyTerms: @escaping @Sendable () -> [String] = { [] },
      style: @escaping @Sendable (_ key: Int?) -> DictationStyle? = { _ in nil },
      engine: @escaping @Sendable () -> EngineKind? = { nil },
      expandShortcuts: @escaping @Sendable (String) -> String = { $0 },
      clock: any Clock<Duration> = ContinuousClock(),
      now: @escaping @Sendable () -> Date = { Date() },
      onDelivery: @escaping @Sendable (Delivery) -> Void = { _ in },
      onEnd: @escaping @Sendable (_ dictation: UInt64, RecordingFate) -> Void = { _, _ in },
      onFailure: @escaping @Sendable (DictationFailure) -> Void = { _ in },
      onDictationLogged: (@Sendable (DictationLogEntry) -> Void)? = nil
    ) {
      self.microphone = microphone
      self.transcriber = transcriber
      self.injector = injector
      self.focus = focus
      self.recordings = recordings
      self.readinessCheck = readinessCheck
      self.keyTerms = keyTerms
      self.style = style
      self.engine = engine
      self.expandShortcuts = expandShortcuts
      self.clock = clock
      self.now = now
      self.onDelivery = onDelivery
      self.onEnd = onEnd
      self.onFailure = onFailure
      self.onDictationLogged = onDictationLogged
    }
  }
}
