public import BlurtEngine
internal import Synchronization

/// A transcriber that listens to the feed and answers what its script says.
public final class FakeTranscriber: TranscriberProtocol {
  public struct Script: Sendable {
    public var text = "Hello there."
    public var engine = EngineKind.assemblyai
    public var fellBackFrom: EngineKind?
    /// Where `transcribe` waits, after the feed has ended.
    public var gate: Gate?
    /// Thrown instead of an answer, after the gate.
    public var error: (any Error)?
    /// A request that cannot be interrupted.
    public var ignoresCancellation = false
    public var warmUpGate: Gate?

    public init() {}
  }

  public struct Call: Sendable {
    public let sampleRate: Int
    public let context: TranscriptionContext?
    public let recording: (any KeptRecording)?
  }

  private struct State {
    var script = Script()
    var calls: [Call] = []
    var heard = 0
  }

  private let state = Mutex(State())
  private let log: EventLog

  public init(log: EventLog = EventLog()) { self.log = log }

  /// Changes what the next calls do.
  public func script(_ change: @Sendable (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  public var calls: [Call] { state.withLock { $0.calls } }
  /// Bytes that were read from all feeds.
  public var heardByteCount: Int { state.withLock { $0.heard } }

  public func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  {
    let script = state.withLock { state in
      state.calls.append(Call(sampleRate: sampleRate, context: context, recording: feed.recording))
      return state.script
    }
    defer { log.append("upload.done") }
    return try await withTaskCancellationHandler {
      // Noted here, where a cancel is noted at once as well.
      log.append("upload.open")
      for await bytes in feed.frames { state.withLock { $0.heard += bytes.count } }
      log.append("upload.ended")
      if script.ignoresCancellation {
        await script.gate?.pass()
      } else {
        try await script.gate?.passOrCancel()
        try Task.checkCancellation()
      }
      if let error = script.error { throw error }
      return Transcript(
        text: script.text, engine: script.engine, fellBackFrom: script.fellBackFrom, sttPrompt: "sent prompt",
        keyTerms: context?.keyTerms ?? [])
    } onCancel: {
      log.append("upload.cancelled")
    }
  }

  public func warmUp() async {
    log.append("warmUp")
    let gate = state.withLock { $0.script.warmUpGate }
    await gate?.pass()
  }
}
