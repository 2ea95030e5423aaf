extension EngineKind {
  /// Why this version cannot use the engine at all; nil where it can.
  ///
  /// For the readiness check (S-50) and for `SelectingTranscriber`: a press is refused with one clear sentence.
  public var refusal: BlurtError? {
    switch self {
    case .assemblyai, .offline: nil
    case .openai, .command:
      .sttFailed(
        underlying: UnderlyingError(
          domain: .other, code: 0,
          message: "This version has no engine \"\(rawValue)\": set BlurtEngineKind to \"assemblyai\" or \"offline\"."))
    }
  }
}
