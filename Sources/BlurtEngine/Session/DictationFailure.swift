public import FoundationEssentials

/// One failure, told once to the failure log (S-12, S-104).
public struct DictationFailure: Sendable, Hashable {
  public let error: BlurtError
  /// The number of the press.
  public let dictation: UInt64
  /// What was known by then. Nil for a press that was refused (S-50). The log takes names from it, never text (S-100).
  public let context: TranscriptionContext?
  public let at: Date

  public init(error: BlurtError, dictation: UInt64, context: TranscriptionContext?, at: Date) {
    self.error = error
    self.dictation = dictation
    self.context = context
    self.at = at
  }
}
