internal import BlurtEngine
package import FoundationEssentials

/// What is known of one kept recording: the JSON file beside its sound.
package struct SpoolRecord: Codable, Sendable, Hashable, Identifiable {
  package enum State: String, Codable, Sendable, Hashable, CaseIterable {
    /// Being captured, or its dictation has not ended yet.
    case recording
    /// Transcription, or what followed it, failed.
    case failed
    /// The daemon died before the dictation ended.
    case interrupted
    /// The engine found no words in it.
    case blank
    /// A recovery cancel ended the dictation.
    case recoveryCancelled
    /// A fallback engine delivered the text; kept until the next delivery.
    case delivered
  }

  /// Unique and sortable by time; also the name of the files.
  package let id: String
  /// The number of the press; 0 where it is not known.
  package var dictation: UInt64
  /// To the second in the file; `id` has the milliseconds.
  package var startedAt: Date
  /// The name of the program that had the focus.
  package var target: String?
  /// The raw value of the `EngineKind` that was, or was to be, asked.
  package var engine: String?
  /// The engine that failed before `engine` spoke.
  package var fellBackFrom: String?
  package var state: State
  /// The stable name of the error (S-21).
  package var errorKind: String?
  /// The raw value of its `FailureCause`.
  package var errorCause: String?
  package var errorMessage: String?
  package var byteCount: Int
  /// Whether every captured byte could be written.
  package var isComplete: Bool

  package init(id: String, dictation: UInt64, startedAt: Date, state: State) {
    self.id = id
    self.dictation = dictation
    self.startedAt = startedAt
    self.state = state
    byteCount = 0
    isComplete = true
  }

  package var duration: Duration {
    .milliseconds(SyncSTTLimits.milliseconds(ofByteCount: byteCount))
  }
}
