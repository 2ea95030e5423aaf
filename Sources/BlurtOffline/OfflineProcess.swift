internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// Owns the engine's process: starts it, gives it one recording at a time, restarts it after a crash, stops it when it
/// has been idle.
///
/// The process holds 220 to 300 MiB while it runs and nothing that would be missed when it dies. A crash costs one
/// restart and one more try with the same recording; a hang is killed at the time limit and reported.
package actor OfflineProcess {
  /// How long loading may take before the process is held to hang. Loading takes 0.3 s; a cold disk needs to read 109 MB.
  package static let loadLimit: Duration = .seconds(20)
  /// What a recording may take besides its own length. The engine needs a tenth of the length.
  package static let decodeLimit: Duration = .seconds(15)
  /// How long a cancelled recording may keep the process before it is killed.
  package static let cancelLimit: Duration = .seconds(2)

  /// What the gate may take besides a tenth of the recording's length, of which it needs a hundredth: a person waits, and
  /// is rather asked for an invented word than for more patience.
  package static let gateLimit: Duration = .seconds(5)

  /// What the process is for.
  package enum Duty: Sendable, Hashable {
    /// Gate and decoder.
    case transcription
    /// The gate alone.
    case gate

    fileprivate var argument: String {
      switch self {
      case .transcription: "--serve"
      case .gate: "--serve-gate"
      }
    }
  }

  /// One run of the process.
  private struct Run {
    let child: OfflineChild
    let number: UInt64
    /// Takes the child's events until its end, then joins it.
    var events: Task<Void, Never>?
    var isReady = false
    /// Why it could not load, once it said so.
    var loadFailure: UnderlyingError?
  }

  /// The recording the process works on.
  private struct Active {
    let job: OfflineJob
    let id: UInt64
    /// 1, or 2 after a crash.
    let attempt: Int
  }

  private let duty: Duty
  private let installation: @Sendable () -> OfflineInstallation?
  private let program: String
  private let idleMinutes: @Sendable () -> Double
  private let clock: any Clock<Duration>

  private var run: Run?
  private var active: Active?
  private var queue: [OfflineJob] = []
  private var lastID: UInt64 = 0
  private var useCount = 0
  /// The time limit of the active recording.
  private var limit: Task<Void, Never>?
  /// The one sleeping task of an idle process.
  private var idle: Task<Void, Never>?

  package init(
    _ duty: Duty = .transcription, installation: @escaping @Sendable () -> OfflineInstallation?, program: String,
    idleMinutes: @escaping @Sendable () -> Double, clock: any Clock<Duration>
  ) {
    self.duty = duty
    self.installation = installation
    self.program = program
    self.idleMinutes = idleMinutes
    self.clock = clock
  }

  deinit {
    limit?.cancel()
    idle?.cancel()
    run?.child.kill()
  }

  /// Whether a process runs now.
  package var isRunning: Bool { run != nil }

  /// The number of the process that runs now.
  package var processID: Int32? { run?.child.processID }

  /// Starts the process if it does not run. Never throws: what is wrong is told to the next recording.
  package func warmUp() {
    startIfPossible()
    armIdle()
  }

  /// A dictation begins: the process is started, so that it loads while the user speaks, and is not stopped until
  /// `endUse`.
  package func beginUse() {
    useCount += 1
    disarmIdle()
    startIfPossible()
  }

  package func endUse() {
    useCount -= 1
    armIdle()
  }

  /// Ends the process and everything that waits for it; returns when it is gone. A later use starts it again.
  package func stop() async {
    disarmIdle()
    for job in queue { job.finish(.failure(CancellationError())) }
    queue = []
    active?.job.finish(.failure(CancellationError()))
    let events = run?.events
    endRun()
    await events?.value
  }

  /// Transcribes the file; a gate only says whether somebody speaks in it. One that is cancelled returns at once; the
  /// process may finish it for a while.
  package func transcribe(path: String, audio: Duration) async throws -> OfflineAnswer {
    let job = OfflineJob(path: path, audio: audio)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        job.wait(continuation)
        queue.append(job)
        startNext()
      }
    } onCancel: {
      job.finish(.failure(CancellationError()))
      Task { await self.abandon(job) }
    }
  }

  // MARK: Recordings

  private func startNext() {
    while active == nil, !queue.isEmpty {
      let job = queue.removeFirst()
      if !job.isDone { begin(job, attempt: 1) }
    }
  }

  private func begin(_ job: OfflineJob, attempt: Int) {
    let run: Run
    do throws(UnderlyingError) {
      run = try started()
    } catch {
      job.finish(.failure(error))
      return
    }
    lastID += 1
    active = Active(job: job, id: lastID, attempt: attempt)
    run.child.send(OfflineRequest(id: lastID, path: job.path, gateOnly: duty == .gate ? true : nil))
    let limit =
      switch duty {
      case .transcription: Self.decodeLimit + job.audio
      case .gate: Self.gateLimit + job.audio / 10
      }
    startLimit(limit + (run.isReady ? .zero : Self.loadLimit))
  }

  private func startLimit(_ duration: Duration) {
    limit?.cancel()
    guard let id = active?.id else { return }
    limit = Task { [clock, weak self] in
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      await self?.limitReached(id)
    }
  }

  private func limitReached(_ id: UInt64) {
    guard let active, active.id == id else { return }
    if active.job.finish(
      .failure(
        OfflineFault.timedOut.error(
          "The offline engine took too long and was stopped. The recording is kept: blurtctl retry sends it again."))
    ) {
      Log.error("offline engine killed at its time limit")
    }
    endRun()
    startNext()
  }

  private func abandon(_ job: OfflineJob) {
    queue.removeAll { $0 === job }
    if active?.job === job { startLimit(Self.cancelLimit + (run?.isReady == true ? .zero : Self.loadLimit)) }
  }

  /// The active recording has its answer.
  private func finishActive(_ id: UInt64, _ result: Result<OfflineAnswer, any Error>) {
    // A late answer to a recording that was given up.
    guard let active, active.id == id else { return }
    active.job.finish(result)
    clearActive()
    startNext()
  }

  private func clearActive() {
    active = nil
    limit?.cancel()
    limit = nil
  }

  // MARK: The process

  private func startIfPossible() {
    do throws(UnderlyingError) {
      _ = try started()
    } catch {
      Log.warning("offline engine cannot start", ["error": error.message])
    }
  }

  /// The process, started if it does not run.
  private func started() throws(UnderlyingError) -> Run {
    if let run { return run }
    guard let installation = installation() else {
      throw OfflineFault.notInstalled.error("The offline engine is not installed. \(OfflineFault.remedy)")
    }
    lastID += 1
    let number = lastID
    do throws(Errno) {
      let child = try OfflineChild(
        program: program, arguments: [duty.argument, "\(getpid())"], environment: Self.environment(installation))
      let events = Task { [weak self] in
        for await event in child.events { await self?.handle(event, from: number) }
        child.join()
      }
      let run = Run(child: child, number: number, events: events)
      self.run = run
      return run
    } catch {
      throw notStarted(error)
    }
  }

  /// Everything the process gets of an environment: no key, no address of a bus or display, no home.
  private static func environment(_ installation: OfflineInstallation) -> [String: String] {
    ["BLURT_OFFLINE_DIR": installation.folder, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
  }

  private func notStarted(_ error: Errno) -> UnderlyingError {
    OfflineFault.notStarted.error(
      "The offline engine's program could not be started (\(error)). Install blurt-offline beside blurtd.")
  }

  private func endRun() {
    run?.child.kill()
    run = nil
    clearActive()
  }

  private func handle(_ event: OfflineChild.Event, from number: UInt64) {
    guard run?.number == number else { return }
    switch event {
    case .reply(.ready(let readiness)):
      run?.isReady = true
      Log.info(
        "offline engine ready",
        [
          "version": "\(readiness.libraryVersion)", "sandbox": readiness.sandbox.rawValue,
          "milliseconds": "\(Int(readiness.loadMilliseconds))",
        ])
      if readiness.sandbox == .none { Log.warning("offline engine runs without a sandbox: the kernel allows none") }
    case .reply(.failed(let error)): run?.loadFailure = error
    case .reply(.answer(let id, let answer)): finishActive(id, .success(answer))
    case .reply(.error(let id, let error)): finishActive(id, .failure(error))
    case .unreadableLine: Log.warning("offline engine sent a line that is no reply")
    case .ended(let ending): ended(ending)
    }
  }

  private func ended(_ ending: OfflineEnding) {
    let loadFailure = run?.loadFailure
    run = nil
    Log.warning("offline engine ended", ["how": "\(ending)", "error": loadFailure?.message ?? "none"])
    if let active {
      clearActive()
      if let loadFailure {
        active.job.finish(.failure(loadFailure))
      } else if case .notStarted(let error) = ending {
        active.job.finish(.failure(notStarted(error)))
      } else if active.attempt == 1, !active.job.isDone {
        begin(active.job, attempt: 2)
      } else {
        active.job.finish(
          .failure(
            OfflineFault.crashed.error(
              "The offline engine crashed twice on this recording, which is kept: blurtctl retry sends it again."
            )))
      }
    }
    startNext()
  }

  // MARK: Idle

  private func armIdle() {
    disarmIdle()
    let minutes = idleMinutes()
    guard useCount == 0, run != nil, minutes > 0, minutes.isFinite else { return }
    // No more than a year, so that no setting can overflow a clock.
    let duration = Duration.seconds(min(minutes, 525_600) * 60)
    idle = Task { [clock, weak self] in
      guard (try? await clock.sleep(for: duration, tolerance: duration / 10)) != nil else { return }
      await self?.idleReached()
    }
  }

  private func disarmIdle() {
    idle?.cancel()
    idle = nil
  }

  private func idleReached() {
    // Cancelled while it was on its way here: a dictation has begun.
    guard !Task.isCancelled, useCount == 0, active == nil, run != nil else { return }
    idle = nil
    Log.info("offline engine stopped after being idle")
    endRun()
  }
}
