package import BlurtEngine
internal import BlurtOS
internal import Synchronization

/// A kept recording that is sent again: complete, locked, and in progress for as long as it is open.
///
/// Any thread may call. Dropped without `close`, it stays what it was.
package final class ReopenedRecording: KeptRecording {
  private struct State: ~Copyable {
    /// Holds the lock. Nil once closed.
    var file: FileDescriptor?
  }

  package let record: SpoolRecord
  package let audioPath: String
  /// Whole samples only: a death in the middle of a write may have left half a one.
  package let byteCount: Int
  private let spool: RecordingSpool
  private let state: Mutex<State>

  init(record: SpoolRecord, byteCount: Int, file: consuming FileDescriptor, spool: RecordingSpool) {
    self.record = record
    self.byteCount = byteCount / SyncSTTLimits.bytesPerSample * SyncSTTLimits.bytesPerSample
    audioPath = spool.audioPath(record.id)
    self.spool = spool
    state = Mutex(State(file: file))
  }

  deinit {
    let isOpen = state.withLock { state in
      defer { state.file = nil }
      return state.file != nil
    }
    if isOpen { spool.release(record.id) }
  }

  package var id: String { record.id }

  /// All that is kept is there to be read, whatever could not be written at the time.
  package var isComplete: Bool { true }

  /// Nothing is added to a recording that has ended.
  package func append(_ bytes: UnsafeRawBufferPointer) {}

  package func note(target: CapturedFocus?, engine: EngineKind?) {}

  /// Delivered, or under the floor: removed. Else it stays, with the newest reason. What a fallback had delivered before
  /// stays `delivered`, and goes with the next delivery.
  package func close(_ fate: RecordingFate) {
    let isFirst = state.withLock { state in
      defer { state.file = nil }
      return state.file != nil
    }
    guard isFirst else { return }
    var record = record
    switch fate {
    case .delivered(_, fellBackFrom: nil), .belowFloor: return spool.discard(id)
    case .delivered(let engine, let fellBackFrom?):
      record.state = .delivered
      record.engine = engine.rawValue
      record.fellBackFrom = fellBackFrom.rawValue
      record.errorKind = nil
      record.errorCause = nil
      record.errorMessage = nil
    case .blank:
      if record.state != .delivered { record.state = .blank }
      record.errorKind = nil
      record.errorCause = nil
      record.errorMessage = nil
    case .failed(let error):
      if record.state != .delivered { record.state = .failed }
      record.errorKind = error.diagnosticName
      record.errorCause = error.cause?.rawValue
      record.errorMessage = "\(error)"
    case .cancelledByUser, .recoveryCancelled: return spool.release(id)
    }
    spool.save(record)
    spool.release(id)
  }
}
