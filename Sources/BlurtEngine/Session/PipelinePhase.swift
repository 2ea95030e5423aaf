/// Where a dictation stands (S-01…S-09).
public enum PipelinePhase: Sendable, Hashable {
  /// S-01: at rest.
  case idle
  /// S-02: a press was accepted; the microphone is coming up.
  case connecting
  /// S-03: real frames are arriving; the user may speak.
  case recording
  /// S-04: a release was accepted.
  case transcribing
  /// S-05: text is about to be pasted.
  case injecting
  /// S-06: the text was pasted.
  case pasted
  /// S-07: no target; the text is on the clipboard.
  case noTarget
  /// S-08: the dictation failed.
  case failed(BlurtError)
  /// S-09: the dictation was cancelled.
  case cancelled

  /// S-10: a press is accepted.
  public var isTerminal: Bool {
    switch self {
    case .idle, .pasted, .noTarget, .failed, .cancelled: true
    case .connecting, .recording, .transcribing, .injecting: false
    }
  }

  /// S-10: the microphone is, or may be, open.
  public var isCapturing: Bool {
    switch self {
    case .connecting, .recording: true
    case .idle, .transcribing, .injecting, .pasted, .noTarget, .failed, .cancelled: false
    }
  }

  /// S-13: the error that the host answers by opening key entry instead of flashing a fault.
  public var setupBlocker: BlurtError? {
    if case .failed(.apiKeyMissing) = self { return .apiKeyMissing }
    return nil
  }

  /// The error of a failed phase.
  public var error: BlurtError? {
    if case .failed(let error) = self { return error }
    return nil
  }

  /// The stable name used on the wire and in logs.
  public var name: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .recording: "recording"
    case .transcribing: "transcribing"
    case .injecting: "injecting"
    case .pasted: "pasted"
    case .noTarget: "noTarget"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

/// One step of the phase, as every observer sees it.
public struct PhaseChange: Sendable, Hashable {
  public let phase: PipelinePhase
  /// The number of the press that this phase belongs to, as `DictationSession.submit` returned it; nil before the first.
  public let dictation: UInt64?

  public init(phase: PipelinePhase, dictation: UInt64?) {
    self.phase = phase
    self.dictation = dictation
  }
}
