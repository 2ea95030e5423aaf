/// What a pill on the screen shows: the one mapping for all hosts (S-80).
public enum OverlayUIState: Sendable, Hashable {
  case idle
  case connecting
  case recording
  case processing
  /// The message is never empty.
  case error(String)
  case pasted
  case noTarget

  public init(_ phase: PipelinePhase) {
    switch phase {
    case .idle, .cancelled: self = .idle
    case .connecting: self = .connecting
    case .recording: self = .recording
    // S-81: idle in between would make the pill blink.
    case .transcribing, .injecting: self = .processing
    case .pasted: self = .pasted
    case .noTarget: self = .noTarget
    // S-13: a setup blocker opens key entry instead of flashing.
    case .failed(let error): self = phase.setupBlocker == nil ? .error(error.description) : .idle
    }
  }

  /// How long it stays before it turns to idle by itself; nil for as long as the phase lasts (S-82).
  public var dwell: Duration? {
    switch self {
    case .pasted: .milliseconds(800)
    case .error, .noTarget: .milliseconds(1_600)
    case .idle, .connecting, .recording, .processing: nil
    }
  }

  /// What a screen reader says (S-84).
  public var label: String {
    switch self {
    case .idle: HostIdentity.current.productName
    case .connecting: "The microphone is coming up"
    case .recording: "Recording"
    case .processing: "Processing"
    case .error(let message): message
    case .pasted: "The dictation was inserted"
    case .noTarget: "No text field had the focus. The text is on the clipboard"
    }
  }

  /// The stable name used on the wire.
  public var name: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .recording: "recording"
    case .processing: "processing"
    case .error: "error"
    case .pasted: "pasted"
    case .noTarget: "noTarget"
    }
  }
}
