/// One recording that is written down while it is captured, so that no failure loses a spoken word.
///
/// Every member may be called from any thread. A failing write must not disturb the dictation: it is remembered,
/// reported once by the implementation, and makes `isComplete` false.
public protocol KeptRecording: AnyObject, Sendable {
  /// Unique among the kept recordings, also across restarts.
  var id: String { get }
  /// A file of raw 16 kHz mono S16LE samples. Readable while it grows.
  var audioPath: String { get }
  /// Bytes written so far.
  var byteCount: Int { get }
  /// Whether every byte that was handed over has been written.
  var isComplete: Bool { get }
  /// What was handed over and could not be written: it follows the file's `byteCount` bytes. Empty where everything is in
  /// the file, nil where it was not kept in memory either.
  var unwritten: [UInt8]? { get }
  /// Appends captured bytes. Called on the capture thread before the same bytes reach the feed.
  func append(_ bytes: UnsafeRawBufferPointer)
  /// Writes down what became known after the press.
  func note(target: CapturedFocus?, engine: EngineKind?)
  /// Ends the recording. Later calls change nothing.
  func close(_ fate: RecordingFate)
}

extension KeptRecording {
  public var unwritten: [UInt8]? { isComplete ? [] : nil }

  /// Bytes that an engine can have: those of the file and those behind them.
  public var availableByteCount: Int { byteCount + (unwritten?.count ?? 0) }
}

/// What becomes of a recording when its dictation ends.
public enum RecordingFate: Sendable, Hashable {
  /// The text reached its target or the clipboard. With a fallback, the audio stays until the next delivery.
  case delivered(EngineKind, fellBackFrom: EngineKind?)
  /// The user cancelled: removed.
  case cancelledByUser
  /// Shorter than the floor (S-64): removed.
  case belowFloor
  /// The engine answered and found no words: kept for a retry with another engine.
  case blank
  /// Kept, with the reason.
  case failed(BlurtError)
  /// A recovery cancel ended the dictation: kept.
  case recoveryCancelled
}

/// Where recordings are kept.
public protocol RecordingStore: Sendable {
  /// Opens a recording. Quick (a file in memory); nil where keeping is turned off or impossible, which the
  /// implementation reports by itself.
  func begin(dictation: UInt64) -> (any KeptRecording)?
}
