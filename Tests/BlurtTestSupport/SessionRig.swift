public import BlurtEngine
public import FoundationEssentials

/// A session between fakes, with everything it told its host.
public final class SessionRig: Sendable {
  public struct End: Sendable, Hashable {
    public let dictation: UInt64
    public let fate: RecordingFate

    public init(dictation: UInt64, fate: RecordingFate) {
      self.dictation = dictation
      self.fate = fate
    }
  }

  public let log = EventLog()
  public let clock = TestClock()
  public let microphone: FakeMicrophone
  public let transcriber: FakeTranscriber
  public let injector: FakeInjector
  public let focus: FakeFocus
  public let recordings: FakeRecordingStore
  /// What stands in the way of a press.
  public let blocker = Box<BlurtError?>(nil)
  public let keyTerms = Box<[String]>([])
  public let deliveries = Box<[Delivery]>([])
  /// Each dictation that has ended, with what becomes of its recording.
  public let ends = Box<[End]>([])
  public let failures = Box<[DictationFailure]>([])
  public let logged = Box<[DictationLogEntry]>([])
  public let session: DictationSession
  public let probe: PhaseProbe

  /// The injected present.
  public static let now = Date(timeIntervalSince1970: 1_700_000_000)

  public init(_ configure: (inout DictationSession.Dependencies) -> Void = { _ in }) {
    microphone = FakeMicrophone(log: log)
    transcriber = FakeTranscriber(log: log)
    injector = FakeInjector(log: log)
    focus = FakeFocus(log: log)
    recordings = FakeRecordingStore(log: log)
    var dependencies = DictationSession.Dependencies(
      microphone: microphone, transcriber: transcriber, injector: injector, focus: focus.capture,
      recordings: recordings,
      readinessCheck: { [blocker, log] in
        log.append("readiness")
        return blocker.value
      },
      keyTerms: { [keyTerms] in keyTerms.value },
      clock: clock,
      now: { Self.now },
      onDelivery: { [deliveries, log] delivery in
        log.append("delivery")
        deliveries.append(delivery)
      },
      onEnd: { [ends, log] dictation, fate in
        log.append("end")
        ends.append(End(dictation: dictation, fate: fate))
      },
      onFailure: { [failures] in failures.append($0) },
      onDictationLogged: { [logged, log] entry in
        log.append("logged")
        logged.append(entry)
      })
    configure(&dependencies)
    session = DictationSession(dependencies)
    probe = PhaseProbe(session.phaseStream())
    log.observe { [weak session] in session?.phaseChange.phase.name ?? "" }
  }

  /// The one recording of a test with one dictation.
  public var recording: FakeKeptRecording? { recordings.recordings.first }

  /// Presses and waits until sound flows; returns the dictation's number.
  public func startRecording(key: Int? = nil) async -> UInt64 {
    let number = session.submit(.press(key: key))
    await probe.wait(for: .recording, of: number)
    return number
  }

  /// One whole dictation; returns the phase it ended in.
  @discardableResult
  public func dictate(key: Int? = nil) async -> PipelinePhase? {
    let number = session.submit(.press(key: key))
    session.submit(.release)
    return await probe.waitForEnd(of: number)
  }

  /// Submits a command and returns the list its decisions arrive in.
  public func submit(_ command: SessionCommand) -> (number: UInt64, decisions: Box<[CommandDecision]>) {
    let decisions = Box<[CommandDecision]>([])
    let number = session.submit(command) { decisions.append($0) }
    return (number, decisions)
  }
}
