public import FoundationEssentials

/// What developer mode writes down about one dictation (S-73, S-99). Holds what was said: not for any other log.
public struct DictationLogEntry: Sendable, Hashable {
  /// The number of the press.
  public let dictation: UInt64
  /// The engine's own words, before shortcuts were expanded, and what was sent to get them.
  public let transcript: Transcript
  /// The press's context with what became known later (S-60).
  public let context: TranscriptionContext
  public let at: Date

  public init(dictation: UInt64, transcript: Transcript, context: TranscriptionContext, at: Date) {
    self.dictation = dictation
    self.transcript = transcript
    self.context = context
    self.at = at
  }
}
