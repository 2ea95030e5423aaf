import BlurtEngine
import FoundationEssentials
import Synchronization

/// What the transcription suites share.
enum TranscriptionFixtures {
  /// Someone who speaks: frames go in, the feed comes out.
  struct Speaker: Sendable {
    let feed: AudioFeed
    private let relay = AudioRelay()
    private let recording: FileRecording?

    init(recording: FileRecording? = nil) {
      feed = AudioFeed(relay, recording: recording)
      self.recording = recording
    }

    /// Says that many bytes, in frames of 640.
    func say(_ byteCount: Int, _ value: UInt8 = 7) {
      var rest = byteCount
      while rest > 0 {
        let frame = [UInt8](repeating: value, count: min(640, rest))
        frame.withUnsafeBytes { recording?.append($0) }
        relay.send(frame)
        rest -= frame.count
      }
    }

    func stop() { relay.finish() }
  }

  /// A recording in a temporary file.
  final class FileRecording: KeptRecording {
    let id = UUID().uuidString
    let audioPath: String
    private let bytes = Mutex<[UInt8]>([])
    private let complete = Mutex(true)
    private let held = Mutex<[UInt8]?>([])

    init() { audioPath = FileManager.default.temporaryDirectory.path + "/blurt-test-recording-\(id)" }

    deinit { try? FileManager.default.removeItem(atPath: audioPath) }

    var byteCount: Int { bytes.withLock { $0.count } }
    var isComplete: Bool { complete.withLock { $0 } }
    var unwritten: [UInt8]? { held.withLock { $0 } }

    func append(_ new: UnsafeRawBufferPointer) {
      if !isComplete {
        held.withLock { $0?.append(contentsOf: new) }
        return
      }
      let all = bytes.withLock { bytes in
        bytes += Array(new)
        return Data(bytes)
      }
      try? all.write(to: URL(filePath: audioPath))
    }

    /// A write failed, and what follows stays in memory.
    func fill() { complete.withLock { $0 = false } }

    /// A write failed, and what follows is gone.
    func breakOff() {
      complete.withLock { $0 = false }
      held.withLock { $0 = nil }
    }
    func note(target: CapturedFocus?, engine: EngineKind?) {}
    func close(_ fate: RecordingFate) {}
  }

  /// An engine that does one thing, and remembers what it was asked.
  final class StubTranscriber: TranscriberProtocol {
    typealias Body = @Sendable (AudioFeed, TranscriptionContext?) async throws -> Transcript
    private let body: Body
    private let counts = Mutex((calls: 0, warmUps: 0))

    init(_ body: @escaping Body) { self.body = body }

    var callCount: Int { counts.withLock { $0.calls } }
    var warmUpCount: Int { counts.withLock { $0.warmUps } }

    func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript {
      counts.withLock { $0.calls += 1 }
      return try await body(feed, context)
    }

    func warmUp() async { counts.withLock { $0.warmUps += 1 } }
  }
}
