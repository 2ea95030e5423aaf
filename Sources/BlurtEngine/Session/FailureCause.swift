/// What is to blame for a transcription that failed: what a program can act on without reading sentences.
public enum FailureCause: String, Sendable, Hashable, CaseIterable {
  /// The key is wrong, missing, or its store is locked.
  case key
  /// The account has no credit left.
  case credit
  /// Too many requests.
  case rate
  /// The recording is too long.
  case size
  /// The kind of audio is not taken.
  case audioType
  /// The request, its address or its model is not taken.
  case request
  /// The server has a fault of its own.
  case server
  /// What came back is no transcript.
  case answer
  /// No connection, or it broke.
  case network
  /// The other side does not prove who it is, or TLS fails.
  case tls
  /// The proxy is in the way.
  case proxy
  /// Nothing moved for too long.
  case timeout
  /// The offline engine failed.
  case engine
  /// The user's program failed.
  case program
  /// The recording could not be kept or read.
  case storage
  /// A setting forbids it, or is missing.
  case settings
}

extension UnderlyingError {
  /// What domain and code say; nil where they say nothing of a transcription.
  static func cause(of domain: Domain, code: Int) -> FailureCause? {
    switch domain {
    case .http: ofStatus(code)
    case .curl: ofTransfer(code)
    case .transcription:
      switch TranscriptionFault(rawValue: code) {
      case .malformedResponse: .answer
      case .replayRefused, .uploadNeverStarted: .network
      case .noRecording: .storage
      case nil: nil
      }
    case .offline: .engine
    case .command: .program
    case .other:
      switch EngineChoice.Refusal(rawValue: code) {
      case .keyStoreLocked: .key
      case .stayLocal, .notInstalled, .notSet: .settings
      case nil: nil
      }
    case .alsa, .posix, .capture: nil
    }
  }

  private static func ofStatus(_ status: Int) -> FailureCause? {
    switch status {
    case 401, 403: .key
    case 402: .credit
    case 407: .proxy
    case 408: .timeout
    case 413: .size
    case 415: .audioType
    case 429: .rate
    case 500...599: .server
    default: .request
    }
  }

  /// The codes of libcurl: of TLS and certificates, of proxies, 28 for time, everything else the network's.
  private static func ofTransfer(_ code: Int) -> FailureCause {
    switch code {
    case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .tls
    case 5, 97: .proxy
    case 28: .timeout
    case 26: .storage
    case 1, 3: .request
    default: .network
    }
  }
}

extension BlurtError {
  /// What is to blame for a transcription that failed; nil for everything else.
  public var cause: FailureCause? {
    if case .sttFailed(let underlying) = self { return underlying.cause }
    return nil
  }
}
