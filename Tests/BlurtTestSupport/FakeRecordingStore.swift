public import BlurtEngine
internal import Synchronization

/// A store that hands out fake recordings and remembers them.
public final class FakeRecordingStore: RecordingStore {
  private let state = Mutex<[FakeKeptRecording]>([])
  private let log: EventLog

  public init(log: EventLog = EventLog()) { self.log = log }

  /// In the order of their presses.
  public var recordings: [FakeKeptRecording] { state.withLock { $0 } }

  public func begin(dictation: UInt64) -> (any KeptRecording)? {
    log.append("recording.begin")
    let recording = FakeKeptRecording(dictation: dictation)
    state.withLock { $0.append(recording) }
    return recording
  }
}
