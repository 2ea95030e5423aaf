extension BlurtError {
  /// What a microphone has thrown, as the session shows it (S-17, S-22, S-56).
  static func capture(_ error: any Error) -> BlurtError {
    switch error {
    case BlurtError.audioCaptureFailed(let underlying): .audioCaptureFailed(underlying: underlying)
    case let underlying as UnderlyingError: .audioCaptureFailed(underlying: underlying)
    default: .audioCaptureFailed(underlying: UnderlyingError(domain: .other, code: 0, message: "\(error)"))
    }
  }

  /// What a transcriber has thrown, as the session shows it (S-24).
  public static func transcription(_ error: any Error) -> BlurtError {
    switch error {
    case let error as BlurtError: error
    case let underlying as UnderlyingError: .sttFailed(underlying: underlying)
    case is CancellationError:
      .sttFailed(underlying: UnderlyingError(domain: .other, code: 0, message: "It was cut off before it was done."))
    default: .sttFailed(underlying: UnderlyingError(domain: .other, code: 0, message: "\(error)"))
    }
  }

  /// S-67: a recording ended and there was no request to wait for.
  static let uploadNeverStarted = BlurtError.sttFailed(
    underlying: UnderlyingError(
      domain: .transcription, code: TranscriptionFault.uploadNeverStarted.rawValue,
      message: "The recording was never sent. Dictate again, or send the kept recording: `blurtctl retry`."))
}
