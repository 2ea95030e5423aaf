/// What an icon in a panel shows. It never shows an error (S-85).
public enum MenuBarStatus: Sendable, Hashable, CaseIterable {
  case idle
  case recording
  case transcribing

  public init(_ phase: PipelinePhase) {
    switch phase {
    case .recording: self = .recording
    case .transcribing: self = .transcribing
    case .idle, .connecting, .injecting, .pasted, .noTarget, .failed, .cancelled: self = .idle
    }
  }

  /// An icon of the freedesktop naming specification.
  public var symbolName: String {
    switch self {
    case .idle: "audio-input-microphone-symbolic"
    case .recording: "media-record-symbolic"
    case .transcribing: "view-refresh-symbolic"
    }
  }

  public var label: String {
    let product = HostIdentity.current.productName
    return switch self {
    case .idle: product
    case .recording: "\(product) is recording"
    case .transcribing: "\(product) is transcribing"
    }
  }

  /// The stable name used on the wire.
  public var name: String {
    switch self {
    case .idle: "idle"
    case .recording: "recording"
    case .transcribing: "transcribing"
    }
  }
}
