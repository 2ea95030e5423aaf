internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// What one capture thread does: open, wait for life, read until told to stop, close.
///
/// Every call into libasound of a press is made here, on the press's own thread, so that a sound server that does not
/// answer holds up nobody else.
struct CaptureWorker: Sendable {
  /// Frames read at a time; what piled up during a stall is read in several goes.
  private static let readFrameCount = 1_600
  /// A pause between two recoveries that brought no frame, so that a broken device does not spin.
  private static let recoveryPause: Duration = .milliseconds(10)
  /// How far sound may be ahead of the clock: the buffers of a sound server and ours, twice over. A PCM that is further
  /// ahead is a file or `null`, and would fill the spool within seconds.
  private static let mostAhead: Duration = .seconds(5)
  /// How often a suspended device is asked whether it is back.
  private static let wakePause: Duration = .milliseconds(50)

  let run: CaptureRun
  /// The capture before this one, where its device may still be open.
  let predecessor: CaptureRun?
  let device: String
  let limits: CaptureLimits
  let levels: LevelFeed
  let transport: @Sendable (borrowing PCMHandle) -> AudioTransport
  let notify: @Sendable (CaptureNotice) -> Void

  /// The body of the thread.
  func work() {
    ALSAMessages.catchOnThisThread()
    if let predecessor { waitForHandOver(from: predecessor) }
    // `capture` has closed the device by the time it returns, so a start that fails does so with nothing open.
    let failure = run.enter() ? capture() : nil
    run.end(with: failure ?? CancellationError())
    run.didClose()
  }

  /// - Returns: why the microphone did not come up; nil otherwise.
  private func capture() -> BlurtError? {
    do {
      let pcm = try openChosenOrDefault()
      guard !run.isEnded else { return nil }
      let transport = transport(pcm)
      try pcm.start()
      let started = MonotonicClock.now()
      guard run.deviceStarted(transport) else { return nil }
      levels.publish(0)
      defer { levels.publish(0) }
      return record(from: pcm, transport: transport, started: started)
    } catch {
      return CaptureFailure.cannotOpen(error)
    }
  }

  // MARK: Opening

  /// C-07: a chosen device that is absent is replaced by the default one for this press.
  private func openChosenOrDefault() throws(ALSAError) -> PCMHandle {
    do {
      return try open(device)
    } catch {
      guard error.kind == .missing, device != "default", !run.isEnded else { throw error }
      let missing = error
      let substitute: PCMHandle
      do { substitute = try open("default") } catch { throw missing }
      notify(.chosenDeviceAbsent(device))
      return substitute
    }
  }

  private func open(_ name: String) throws(ALSAError) -> PCMHandle {
    do {
      return try PCMHandle.open(name)
    } catch {
      guard error.kind != .denied, !run.isEnded else { throw error }
      // The configuration may be older than the sound server that now holds the device, or that is gone (B-95).
      ALSAConfiguration.forget()
      return try PCMHandle.open(name)
    }
  }

  // MARK: Reading

  /// What the reading loop carries from turn to turn.
  private struct Progress {
    var liveness: MicLiveness
    var downmix: LoudestChannel
    var meter = LevelMeter()
    let started: Duration
    var lastFrame: Duration
    var overruns = 0
    /// Read since the start of the device.
    var frameCount = 0
    var framesSinceRecovery = true
  }

  private func record(
    from pcm: borrowing PCMHandle, transport: AudioTransport, started: Duration
  ) -> BlurtError? {
    let samples = UnsafeMutableBufferPointer<Int16>.allocate(capacity: Self.readFrameCount * pcm.channelCount)
    let polled = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: pcm.pollCount + 1)
    defer {
      samples.deallocate()
      polled.deallocate()
    }
    let own = UnsafeMutableBufferPointer(rebasing: polled.dropLast())
    polled[polled.count - 1] = pollfd(fd: run.wakeup.descriptor, events: Int16(POLLIN), revents: 0)

    var progress = Progress(
      liveness: MicLiveness(cap: limits.livenessCap(transport)),
      downmix: LoudestChannel(channelCount: pcm.channelCount),
      started: started, lastFrame: started)
    do {
      while true {
        var timeout = limits.frozenAfter - (MonotonicClock.now() - progress.lastFrame)
        if case .waiting(let remaining) = progress.liveness.verdict(after: MonotonicClock.now() - started) {
          timeout = remaining
        }
        try pcm.fillPoll(own)
        let ready = poll(polled.baseAddress, nfds_t(polled.count), Self.pollTime(timeout))
        if polled[polled.count - 1].revents != 0 { run.wakeup.clear() }
        if run.isEnded { return nil }
        let isStopping = run.isStopRequested
        do {
          if ready > 0 { _ = try pcm.pollEvents(own) }
          if isStopping { pcm.catchUp() }
          try readAll(from: pcm, into: samples, &progress)
        } catch {
          if isStopping { break }
          try recover(pcm, from: error, &progress)
        }
        if isStopping { break }
        if run.isLive {
          if MonotonicClock.now() - progress.lastFrame >= limits.frozenAfter {
            lose(CaptureFailure.frozen(pcm.name))
            return nil
          }
          continue
        }
        let waited = MonotonicClock.now() - started
        switch progress.liveness.verdict(after: waited) {
        case .waiting: continue
        case .live:
          // First the caller, who may go on at once; then the log.
          run.becameLive()
          report(pcm.name, transport, waited, progress.liveness)
        case .expired:
          let report = report(pcm.name, transport, waited, progress.liveness)
          return CaptureFailure.neverDelivered(report, frameCount: progress.liveness.frameCount)
        }
      }
      run.end()
      return nil
    } catch {
      guard run.isLive else {
        report(pcm.name, transport, MonotonicClock.now() - started, progress.liveness)
        return CaptureFailure.cannotOpen(error)
      }
      lose(CaptureFailure.lost(error))
      return nil
    }
  }

  /// Reads until nothing is left, and hands on each block as it comes.
  private func readAll(
    from pcm: borrowing PCMHandle, into samples: UnsafeMutableBufferPointer<Int16>, _ progress: inout Progress
  ) throws(ALSAError) {
    while true {
      let frameCount = try pcm.read(into: samples)
      guard frameCount > 0 else { return }
      progress.lastFrame = MonotonicClock.now()
      progress.framesSinceRecovery = true
      progress.frameCount += frameCount
      let heard = Duration.milliseconds(1_000 * progress.frameCount / SyncSTTLimits.sampleRate)
      guard heard <= progress.lastFrame - progress.started + Self.mostAhead else {
        throw ALSAError(-EIO, call: "snd_pcm_readi", pcm: pcm.name, detail: "it delivers sound faster than time passes")
      }
      let block = UnsafeMutableBufferPointer(rebasing: samples[..<(frameCount * pcm.channelCount)])
      // C-15: judged before channels are merged, so that the loudest one decides.
      if !progress.liveness.isLive {
        progress.liveness.hear(UnsafeBufferPointer(block), channelCount: pcm.channelCount)
      }
      let mono = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<progress.downmix.reduce(block)])
      guard run.deliver(UnsafeRawBufferPointer(mono)) else { return }
      if levels.isHeard, let level = progress.meter.hear(mono) { levels.publish(level) }
      if frameCount < Self.readFrameCount { return }
    }
  }

  /// C-28: an overrun and a suspend are survived; everything else is thrown on.
  private func recover(
    _ pcm: borrowing PCMHandle, from error: ALSAError, _ progress: inout Progress
  ) throws(ALSAError) {
    switch error.kind {
    case .overrun:
      progress.overruns += 1
      if !progress.framesSinceRecovery { _ = wait(for: run.wakeup, Self.recoveryPause) }
      progress.framesSinceRecovery = false
      try pcm.start()
      notify(.overrun(count: progress.overruns))
    case .suspended:
      let asleepSince = MonotonicClock.now()
      while try !pcm.wake() {
        guard MonotonicClock.now() - asleepSince < limits.frozenAfter else { throw error }
        _ = wait(for: run.wakeup, Self.wakePause)
        if run.isEnded || run.isStopRequested { return }
      }
      notify(.resumed)
    case .busy, .denied, .missing, .failed:
      throw error
    }
  }

  /// The device is gone: the feed ends, what was captured stays (B-100).
  private func lose(_ error: UnderlyingError) {
    run.end()
    notify(.deviceLost(error, byteCount: run.byteCount))
  }

  @discardableResult
  private func report(
    _ pcm: String, _ transport: AudioTransport, _ waited: Duration, _ liveness: MicLiveness
  ) -> BringUpReport {
    let report = BringUpReport(
      pcm: pcm, transport: transport, waited: waited, powerDB: liveness.powerDB, isLive: liveness.isLive)
    notify(.broughtUp(report))
    return report
  }

  // MARK: Waiting

  /// Waits for the device of the press before, unless nobody wants this press any more.
  private func waitForHandOver(from predecessor: CaptureRun) {
    var entries = [predecessor.closed, run.wakeup].map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&entries, nfds_t(entries.count), Self.pollTime(limits.handOver))
  }

  /// Waits for a wakeup or the time; the wakeup stays signalled.
  private func wait(for wakeup: Wakeup, _ time: Duration) -> Bool {
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Self.pollTime(time)) > 0
  }

  /// Whole milliseconds, rounded up so that a deadline has passed when the poll returns.
  static func pollTime(_ duration: Duration) -> Int32 {
    guard duration > .zero else { return 0 }
    let milliseconds = (duration / .milliseconds(1)).rounded(.up)
    return milliseconds < 1_000_000 ? Int32(milliseconds) : 1_000_000
  }
}
