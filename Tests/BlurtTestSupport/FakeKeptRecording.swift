public import BlurtEngine
internal import Synchronization

/// A recording that is kept nowhere and remembers what was done to it.
public final class FakeKeptRecording: KeptRecording {
  public struct Note: Sendable, Hashable {
    public let target: CapturedFocus?
    public let engine: EngineKind?
  }

  private struct State {
    var byteCount = 0
    var notes: [Note] = []
    var fates: [RecordingFate] = []
  }

  /// The number of the press.
  public let dictation: UInt64
  private let state = Mutex(State())

  public init(dictation: UInt64) { self.dictation = dictation }

  public var id: String { "recording-\(dictation)" }
  public var audioPath: String { "/nowhere/\(id)" }
  public var byteCount: Int { state.withLock { $0.byteCount } }
  public var isComplete: Bool { true }
  public var notes: [Note] { state.withLock { $0.notes } }
  /// Each call of `close`, also those that should not have come.
  public var fates: [RecordingFate] { state.withLock { $0.fates } }

  public func append(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.byteCount += bytes.count } }

  public func note(target: CapturedFocus?, engine: EngineKind?) {
    state.withLock { $0.notes.append(Note(target: target, engine: engine)) }
  }

  public func close(_ fate: RecordingFate) { state.withLock { $0.fates.append(fate) } }
}
