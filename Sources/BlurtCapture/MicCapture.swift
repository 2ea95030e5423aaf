package import BlurtEngine
internal import BlurtOS
internal import Synchronization

/// The microphone over ALSA: a fresh PCM and a fresh thread for each press, nothing open between (C-06, C-12).
///
/// Any task may call. A start that meets an earlier capture replaces it. Nothing here blocks the calling thread: the
/// device is opened, read and closed on the press's own thread, and a caller waits for it only within bounds.
package final class MicCapture: MicCaptureProtocol {
  private struct State {
    var current: CaptureRun?
    /// Captures whose device may still be open.
    var unclosed: [CaptureRun] = []
  }

  private let device: @Sendable () -> String
  private let clock: any Clock<Duration>
  private let limits: CaptureLimits
  private let transport: @Sendable (borrowing PCMHandle) -> AudioTransport
  private let transportByName: @Sendable (String) -> AudioTransport?
  private let askServer: @Sendable () -> ServerSource?
  private let notify: @Sendable (CaptureNotice) -> Void
  private let levelFeed: LevelFeed
  private let state = Mutex(State())

  /// - Parameters:
  ///   - device: The ALSA PCM to use, asked at each press. Empty means `default`.
  ///   - clock: Measures the tail (C-29) and the bounds of waiting callers, not the device.
  ///   - transport: Overrides the recognition of the transport, by the PCM's name; nil leaves it to the probe.
  ///   - wantsLevels: Whether whoever listens to `levels` has anybody to tell. Asked on the capture thread (C-32).
  ///   - onNotice: Called on the capture thread, or the one that asks the sound server; it must not hold them up.
  package convenience init(
    device: @escaping @Sendable () -> String, clock: any Clock<Duration> = ContinuousClock(),
    limits: CaptureLimits = CaptureLimits(), transport: (@Sendable (String) -> AudioTransport?)? = nil,
    wantsLevels: @escaping @Sendable () -> Bool = { true },
    onNotice: @escaping @Sendable (CaptureNotice) -> Void = { _ in }
  ) {
    let probe = TransportProbe()
    self.init(
      device: device, clock: clock, limits: limits,
      probe: { pcm in transport?(pcm.name) ?? probe.transport(of: pcm) },
      transportByName: { transport?($0) ?? TransportProbe.transport(ofName: $0) },
      askServer: { ServerInquiry.source() },
      wantsLevels: wantsLevels, onNotice: onNotice)
  }

  init(
    device: @escaping @Sendable () -> String, clock: any Clock<Duration>, limits: CaptureLimits,
    probe: @escaping @Sendable (borrowing PCMHandle) -> AudioTransport,
    transportByName: @escaping @Sendable (String) -> AudioTransport? = { TransportProbe.transport(ofName: $0) },
    askServer: @escaping @Sendable () -> ServerSource?, wantsLevels: @escaping @Sendable () -> Bool,
    onNotice: @escaping @Sendable (CaptureNotice) -> Void
  ) {
    self.device = device
    self.clock = clock
    self.limits = limits
    transport = probe
    self.transportByName = transportByName
    self.askServer = askServer
    levelFeed = LevelFeed(isWanted: wantsLevels)
    notify = { notice in
      notice.log()
      onNotice(notice)
    }
  }

  // C-08: a dropped recorder leaves no waiter hung and no device open.
  deinit { state.withLock { $0.current }?.end() }

  package func start(keepingIn recording: (any KeptRecording)?) async throws -> AudioFeed {
    try Task.checkCancellation()
    let asked = device()
    let name = asked.isEmpty ? "default" : asked
    let run = try launch(name, keepingIn: recording)
    // Opening can hang with a sound server; the device's own deadline only counts from its start.
    let watchdog = Task { [clock, limits] in
      try await clock.sleep(for: limits.openDeadline)
      if !run.isOpening { try await clock.sleep(for: limits.livenessCap(run.transport) + limits.closeGrace) }
      if !run.isLive { run.end(with: CaptureFailure.serverSilent(name)) }
    }
    defer { watchdog.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await run.waitUntilLive()
      } onCancel: {
        run.end()
      }
      // C-10: a cancel, or another press, may have come between the live frame and this line.
      try Task.checkCancellation()
      guard state.withLock({ $0.current === run }) else { throw CancellationError() }
      return run.feed
    } catch {
      retire(run)
      throw error
    }
  }

  package func stop() async throws -> Int {
    // C-11: from here on this call deals with this capture only, whatever another press begins.
    guard let run = state.withLock({ $0.current }) else { return 0 }
    let tail = run.transport.tail
    // C-29. A stop that is itself cancelled skips the tail.
    if run.isLive, tail > .zero { try? await clock.sleep(for: tail) }
    let isOpening = run.isOpening
    run.requestStop()
    if !isOpening { await settle(run) }
    retire(run)
    return run.byteCount
  }

  package func cancelCapture() async throws {
    guard let run = state.withLock({ $0.current }) else { return }
    let isOpening = run.isOpening
    retire(run)
    if !isOpening { await settle(run) }
  }

  package var levels: AsyncStream<Float> { levelFeed.listen() }

  package func warmUp() async {
    // Reading the configuration takes milliseconds of file access: on a thread of its own.
    let (done, signal) = AsyncStream.makeStream(of: Void.self)
    let thread = try? WorkerThread(name: "blurt-mic-warm") {
      ALSAConfiguration.forget()
      ALSAConfiguration.load()
      signal.finish()
    }
    guard let thread else { return }
    for await _ in done {}
    thread.join()
  }

  // MARK: One press

  private func launch(_ name: String, keepingIn recording: (any KeptRecording)?) throws -> CaptureRun {
    let run: CaptureRun
    do { run = try CaptureRun(keepingIn: recording) } catch { throw Self.noResources(error) }
    let before = try state.withLock { state in
      guard state.unclosed.count(where: \.holdsDevice) < limits.strandedLimit else {
        throw CaptureFailure.serverSilent(name)
      }
      defer {
        state.current = run
        state.unclosed.append(run)
      }
      return (replaced: state.current, unclosed: state.unclosed)
    }
    // From here on each earlier press either holds its device or never will.
    before.replaced?.end()
    let predecessor = before.unclosed.last(where: \.holdsDevice)
    let worker = CaptureWorker(
      run: run, predecessor: predecessor, device: name, limits: limits, levels: levelFeed, transport: transport,
      transportByName: transportByName, askServer: askServer, notify: notify)
    do {
      let thread = try WorkerThread(name: "blurt-mic") { worker.work() }
      // The join returns at once: it blocks one of the few threads that all tasks share.
      Task { [weak self] in
        await run.waitUntilFinished()
        thread.join()
        self?.forget(run)
      }
    } catch {
      run.end()
      run.didClose()
      retire(run)
      forget(run)
      throw Self.noResources(error)
    }
    return run
  }

  /// Ends a capture and, if it is still the current one, leaves none.
  private func retire(_ run: CaptureRun) {
    run.end()
    state.withLock { state in
      if state.current === run { state.current = nil }
    }
  }

  private func forget(_ run: CaptureRun) {
    state.withLock { state in state.unclosed.removeAll { $0 === run } }
  }

  /// Waits for the device to close, within bounds.
  private func settle(_ run: CaptureRun) async {
    if await !run.waitUntilClosed(within: limits.closeGrace, on: clock) {
      run.end()
      notify(.closeDelayed)
    }
  }

  private static func noResources(_ error: Errno) -> BlurtError {
    .audioCaptureFailed(
      underlying: UnderlyingError(
        domain: .posix, code: Int(error.code),
        message: "The capture thread could not be started (\(error)). Close some programs and try again."))
  }
}
