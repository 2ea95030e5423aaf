public import BlurtEngine
internal import Synchronization

/// A microphone that captures what its script says and keeps count of what was done to it.
public final class FakeMicrophone: MicCaptureProtocol {
  public struct Script: Sendable {
    /// Where `start` waits before the device is open.
    public var startGate: Gate?
    /// Thrown by `start` instead of opening.
    public var startError: (any Error)?
    /// A driver that cannot be interrupted: `start` takes no notice of a cancelled task.
    public var ignoresCancellation = false
    /// Captured at once when the device opens: 0.2 s.
    public var byteCount = 6_400
    public var stopGate: Gate?
    public var stopError: (any Error)?
    public var cancelGate: Gate?
    public var cancelError: (any Error)?

    public init() {}
  }

  private struct State {
    var script = Script()
    var feed: AsyncStream<[UInt8]>.Continuation?
    var recording: (any KeptRecording)?
    var captured = 0
    var opened = 0
  }

  private let state = Mutex(State())
  private let log: EventLog

  public init(log: EventLog = EventLog()) { self.log = log }

  /// Changes what the next calls do.
  public func script(_ change: @Sendable (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  /// Whether the device is open now.
  public var isOpen: Bool { state.withLock { $0.feed != nil } }
  /// How often the device was opened.
  public var openCount: Int { state.withLock { $0.opened } }
  public var startCount: Int { log.count(of: "mic.start") }
  public var stopCount: Int { log.count(of: "mic.stop") }
  public var cancelCount: Int { log.count(of: "mic.cancelCapture") }

  /// More sound arrives.
  public func capture(byteCount: Int) {
    state.withLock { state in
      guard let feed = state.feed else { return }
      let bytes = [UInt8](repeating: 1, count: byteCount)
      bytes.withUnsafeBytes { state.recording?.append($0) }
      feed.yield(bytes)
      state.captured += byteCount
    }
  }

  /// The device vanishes: the feed ends by itself.
  public func vanish() { state.withLock { $0.feed?.finish() } }

  public func start(keepingIn recording: (any KeptRecording)?) async throws -> AudioFeed {
    log.append("mic.start")
    let script = state.withLock { $0.script }
    if script.ignoresCancellation {
      await script.startGate?.pass()
    } else {
      try await withTaskCancellationHandler {
        try await script.startGate?.passOrCancel()
      } onCancel: {
        log.append("mic.start.cancelled")
      }
      try Task.checkCancellation()
    }
    if let error = script.startError { throw error }
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .unbounded)
    state.withLock { state in
      state.feed = feed
      state.recording = recording
      state.captured = 0
      state.opened += 1
    }
    capture(byteCount: script.byteCount)
    log.append("mic.live")
    return AudioFeed(frames: frames, recording: recording)
  }

  public func stop() async throws -> Int {
    log.append("mic.stop")
    let script = state.withLock { $0.script }
    await script.stopGate?.pass()
    let captured = close()
    if let error = script.stopError { throw error }
    return captured
  }

  public func cancelCapture() async throws {
    log.append("mic.cancelCapture")
    let script = state.withLock { $0.script }
    await script.cancelGate?.pass()
    _ = close()
    if let error = script.cancelError { throw error }
  }

  private func close() -> Int {
    let (feed, captured) = state.withLock { state in
      defer { state.captured = 0 }
      state.recording = nil
      return (state.feed.take(), state.captured)
    }
    feed?.finish()
    return captured
  }
}
