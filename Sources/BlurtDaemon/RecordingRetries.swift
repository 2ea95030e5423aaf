package import BlurtEngine
internal import BlurtOS

/// Sends kept recordings again: one after the other, without any paste, each at most once at a time.
///
/// The recording goes only when its words have been handed over. Its owner calls `stop`; what is under way or waits then
/// stays kept as it was.
package final class RecordingRetries: Sendable {
  /// What became of a request.
  package enum Start: Sendable, Hashable {
    /// It is on its way, or waits for an earlier one.
    case started(String)
    /// It is being sent again already.
    case underWay(String)
    /// Its dictation has not ended.
    case notEnded(String)
    /// None has that id.
    case unknown
    /// There is none that could be sent.
    case nothingKept
    /// No engine could work.
    case refused(BlurtError)
  }

  /// How one has ended.
  package enum End: Sendable, Hashable {
    case words(RetriedText)
    /// The engine heard no words; the recording stays.
    case blank
    /// Shorter than 0.1 seconds: the recording is gone.
    case tooShort
    /// The recording stays.
    case failed(BlurtError)
    /// The daemon stops; the recording stays.
    case stopped
  }

  /// Who is told.
  package struct Hooks: Sendable {
    /// Replaces the user's shortcuts in the engine's text (S-71).
    package var expandShortcuts: @Sendable (String) -> String = { $0 }
    /// Before `start` returns.
    package var onStart: @Sendable (_ recording: String) -> Void = { _ in }
    /// While the recording is still there. When this has returned, the words can be had without it.
    package var onWords: @Sendable (RetriedText) async -> Void = { _ in }
    /// When the recording has gone, or has its new state.
    package var onEnd: @Sendable (_ recording: String, End) -> Void = { _, _ in }

    package init() {}
  }

  private let spool: RecordingSpool
  private let whole: WholeTranscription
  private let named: @Sendable (EngineKind) -> WholeTranscription
  private let hooks: Hooks
  /// Unbounded, but each recording is in it once at most.
  private let jobs: AsyncStream<(ReopenedRecording, WholeTranscription)>.Continuation
  private let worker: Task<Void, Never>

  /// `named` gives the engine that a client asked for by name.
  package init(
    spool: RecordingSpool, whole: WholeTranscription,
    named: @escaping @Sendable (EngineKind) -> WholeTranscription, hooks: Hooks
  ) {
    self.spool = spool
    self.whole = whole
    self.named = named
    self.hooks = hooks
    let (recordings, jobs) = AsyncStream.makeStream(of: (ReopenedRecording, WholeTranscription).self)
    self.jobs = jobs
    // One after the other: a dictation finds at most one of them before it at an engine that takes its jobs in order.
    worker = Task.detached {
      for await (recording, whole) in recordings { await Self.send(recording, to: whole, hooks) }
    }
  }

  // The worker ends when nobody can give it anything more.
  deinit { jobs.finish() }

  /// Sends a recording again; nil for the newest that is not in progress. With `engine` to that one and no other, else to
  /// the one that dictations use. Does not wait for its end.
  ///
  /// Any thread; reads the spool folder.
  package func start(_ id: String?, engine: EngineKind? = nil) -> Start {
    let whole = engine.map(named) ?? whole
    let records: [SpoolRecord]
    if let id {
      guard let record = spool.record(id) else { return .unknown }
      records = [record]
    } else {
      records = spool.list()
    }
    for record in records {
      guard let recording = spool.reopen(record.id) else { continue }
      if let blocker = whole.blocker { return .refused(blocker) }
      hooks.onStart(record.id)
      jobs.yield((recording, whole))
      return .started(record.id)
    }
    if let sent = records.first(where: { $0.state != .recording && spool.isInProgress($0.id) }) {
      return .underWay(sent.id)
    }
    guard let id else { return .nothingKept }
    return spool.isInProgress(id) ? .notEnded(id) : .unknown
  }

  /// Ends what is under way and drops what waits.
  package func stop() {
    jobs.finish()
    worker.cancel()
  }

  private static func send(_ recording: ReopenedRecording, to whole: WholeTranscription, _ hooks: Hooks) async {
    let end: End
    do throws(WholeTranscription.Failure) {
      let transcript = try await whole.transcribe(try await samples(of: recording), recording: recording)
      let shown = hooks.expandShortcuts(transcript.text)
      if let text = shown.trimmedNonEmpty {
        let words = RetriedText(
          recording: recording.id, text: text, shownText: shown, spokenText: transcript.text, engine: transcript.engine,
          fellBackFrom: transcript.fellBackFrom)
        await hooks.onWords(words)
        recording.close(.delivered(transcript.engine, fellBackFrom: transcript.fellBackFrom))
        end = .words(words)
      } else {
        recording.close(.blank)
        end = .blank
      }
    } catch {
      switch error {
      case .belowFloor:
        recording.close(.belowFloor)
        end = .tooShort
      case .cancelled:
        recording.close(.recoveryCancelled)
        end = .stopped
      case .engine(let error):
        recording.close(.failed(error))
        end = .failed(error)
      }
    }
    hooks.onEnd(recording.id, end)
  }

  /// Reads the file on a thread of its own.
  private static func samples(of recording: ReopenedRecording) async throws(WholeTranscription.Failure) -> [UInt8] {
    let read: Result<[UInt8], FileTranscription.Failure>
    do throws(Errno) {
      read = try await Blocking.run(name: "blurt-file") { FileTranscription.rawSamples(of: recording.audioPath) }
    } catch {
      read = .failure(.file("\(error)."))
    }
    switch read {
    case .success(let bytes):
      return bytes.count > recording.byteCount ? Array(bytes[..<recording.byteCount]) : bytes
    case .failure(.engine(let error)): throw .engine(error)
    case .failure(.file(let message)):
      throw .engine(.sttFailed(underlying: UnderlyingError(domain: .other, code: 0, message: message)))
    }
  }
}
