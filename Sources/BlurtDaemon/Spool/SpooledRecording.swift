package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A recording that is being written to the spool.
///
/// `append` is a plain `write` into a file in memory: what it was given is safe from the death of this process when it
/// returns. Where there is no room for it, what follows stays in memory: engines get it from there, and a recording that is
/// to be kept gets it written at its end, if there is room then. Dropped without `close`, it is marked as interrupted.
package final class SpooledRecording: KeptRecording {
  private struct State: ~Copyable {
    var record: SpoolRecord
    /// Holds the lock. Nil once closed.
    var file: FileDescriptor?
    /// Its dictation has ended; only its removal may have to wait.
    var hasEnded = false
    /// No byte follows one that could not be written: the file stays a true beginning of what was said.
    var hasFailed = false
    /// What was handed over since then. Nil once it and the file are over T-94.
    var unwritten: [UInt8]? = []
  }

  package let id: String
  package let audioPath: String
  private let spool: RecordingSpool
  private let state: Mutex<State>
  private let written = Atomic<Int>(0)

  init(record: SpoolRecord, file: consuming FileDescriptor, spool: RecordingSpool) {
    id = record.id
    audioPath = spool.folder.audioPath(record.id)
    self.spool = spool
    state = Mutex(State(record: record, file: file))
  }

  deinit {
    var abandoned: SpoolRecord?
    state.withLock { state in
      guard state.file != nil else { return }
      state.file = nil
      state.record.state = .interrupted
      abandoned = state.record
    }
    if let abandoned { spool.settle(abandoned) }
  }

  package var byteCount: Int { written.load(ordering: .relaxed) }

  package var isComplete: Bool { state.withLock { !$0.hasFailed } }

  package var unwritten: [UInt8]? { state.withLock { $0.unwritten } }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    let failure = state.withLock { state -> Errno? in
      guard state.file != nil, !state.hasEnded else { return nil }
      guard !state.hasFailed else {
        keep(bytes, &state)
        return nil
      }
      var rest = bytes
      while !rest.isEmpty {
        do throws(Errno) {
          let count = try state.file?.write(rest) ?? 0
          written.add(count, ordering: .relaxed)
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } catch {
          // No room: older recordings give way to the words that are being spoken.
          if error.code == ENOSPC || error.code == EDQUOT, spool.giveWay(to: id) { continue }
          state.hasFailed = true
          state.record.isComplete = false
          // A short write may have left half a sample.
          if byteCount % 2 == 1, rest.count < bytes.count, let file = state.file?.raw,
            ftruncate(file, byteCount - 1) == 0
          {
            written.subtract(1, ordering: .relaxed)
            rest = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - rest.count - 1)...])
          }
          keep(rest, &state)
          return error
        }
      }
      return nil
    }
    if let failure {
      Log.error("recording cannot be kept whole", ["id": id, "reason": "\(failure)", "byteCount": "\(byteCount)"])
    }
  }

  /// Holds in memory what could not be written.
  private func keep(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
    guard let kept = state.unwritten?.count else { return }
    if byteCount + kept + bytes.count > SyncSTTLimits.fallbackByteLimit {
      state.unwritten = nil
    } else {
      state.unwritten?.append(contentsOf: bytes)
    }
  }

  /// Writes what is held in memory, now that somebody may have made room. All of it or nothing.
  private func writeRest(_ state: inout State) {
    guard state.hasFailed, let rest = state.unwritten, !rest.isEmpty, let file = state.file?.raw else { return }
    let before = byteCount
    let isWritten = rest.withUnsafeBytes { bytes in
      (try? state.file?.writeAll(bytes)) != nil
    }
    guard isWritten else {
      _ = ftruncate(file, off_t(before))
      return
    }
    written.add(rest.count, ordering: .relaxed)
    state.unwritten = []
    state.hasFailed = false
    state.record.isComplete = true
  }

  package func note(target: CapturedFocus?, engine: EngineKind?) {
    state.withLock { state in
      guard state.file != nil, !state.hasEnded else { return }
      if let target { state.record.target = target.name }
      if let engine { state.record.engine = engine.rawValue }
      state.record.byteCount = byteCount
      spool.save(state.record)
    }
  }

  package func close(_ fate: RecordingFate) {
    let isFirst = state.withLock { state in
      guard state.file != nil, !state.hasEnded else { return false }
      state.hasEnded = true
      return true
    }
    guard isFirst else { return }
    // Until the window has read the words, the recording is all that is left of them if this process dies now.
    if case .delivered = fate, spool.hold({ self.finish(fate) }) { return }
    finish(fate)
  }

  private func finish(_ fate: RecordingFate) {
    let mayBeKept = fate.mayBeKept
    let record = state.withLock { state -> SpoolRecord? in
      guard state.file != nil else { return nil }
      if mayBeKept { writeRest(&state) }
      state.file = nil
      state.record.byteCount = byteCount
      return state.record
    }
    guard var record else { return }
    var isKept = byteCount > 0
    switch fate {
    case .delivered(let engine, let fellBackFrom):
      record.state = .delivered
      record.engine = engine.rawValue
      record.fellBackFrom = fellBackFrom?.rawValue
      if fellBackFrom == nil { isKept = false }
      spool.removeDelivered()
    case .cancelledByUser, .belowFloor:
      isKept = false
    case .blank:
      record.state = .blank
    case .failed(let error):
      record.state = .failed
      record.errorKind = error.diagnosticName
      record.errorCause = error.cause?.rawValue
      record.errorMessage = "\(error)"
    case .recoveryCancelled:
      record.state = .recoveryCancelled
    }
    if isKept { spool.settle(record) } else { spool.discard(id) }
  }
}

extension RecordingFate {
  /// Whether somebody may want to hear the recording again.
  fileprivate var mayBeKept: Bool {
    switch self {
    case .delivered(_, let fellBackFrom): fellBackFrom != nil
    case .cancelledByUser, .belowFloor: false
    case .blank, .failed, .recoveryCancelled: true
    }
  }
}
