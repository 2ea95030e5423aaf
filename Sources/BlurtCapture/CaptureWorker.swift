internal import BlurtEngine
internal import BlurtOS
internal import CALSA
internal import Glibc

/// What one capture thread does: open, wait for life, read until told to stop, close.
///
/// Every call into libasound of a press is made here, on the press's own thread, so that a sound server that does not
/// answer holds up nobody else.
struct CaptureWorker: Sendable {
  /// Sound read at a time; what piled up during a stall is read in several goes.
  private static let readMilliseconds = 100
  /// A word that ends 50 ms before the key goes up is whole: if the last frames are older than that, the period that
  /// holds them is waited for, no longer.
  static let staleAfter: Duration = .milliseconds(30)
  /// The longest wait for those frames, where the device's own period is not longer: a sound server hands sound on in
  /// pieces of its own, up to that long.
  static let lastWait: Duration = .milliseconds(100)
  /// How often the sound of a server is read and handed on: one wake-up of two threads for so much sound, whatever its
  /// packets are. A stop takes along at once what has come since. The level meter has a value for each 50 ms.
  static let handOverMilliseconds = 40
  /// The first frames go on in smaller pieces, so that the request opens as soon as 0.1 s is there (T-24).
  private static let firstPeriod: Duration = .milliseconds(PCMHandle.periodMilliseconds)
  private static let firstMilliseconds = 100
  /// A device that runs for so long belongs to a press that is meant: now the sound server is asked about its source.
  static let inquiryDelay: Duration = .milliseconds(100)
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
  /// What a name alone says, for what is no PCM.
  let transportByName: @Sendable (String) -> AudioTransport?
  let askServer: @Sendable () -> ServerSource?
  let notify: @Sendable (CaptureNotice) -> Void

  /// The body of the thread.
  func work() {
    ALSAMessages.catchOnThisThread()
    if let predecessor { waitForHandOver(from: predecessor, atMost: limits.handOver) }
    // `capture` has closed the device by the time it returns, so a start that fails does so with nothing open.
    var inquiry: WorkerThread?
    let failure = run.enter() ? capture(&inquiry) : nil
    run.end(with: failure ?? CancellationError())
    run.didClose()
    // Within its own limit; nobody waits for it.
    inquiry?.join()
    run.didFinish()
  }

  /// - Returns: why the microphone did not come up; nil otherwise.
  private func capture(_ inquiry: inout WorkerThread?) -> BlurtError? {
    do {
      switch try openChosenOrDefault() {
      case .stream(let stream):
        let started = MonotonicClock.now()
        guard run.deviceStarted(transportByName(stream.name) ?? .unknown) else { return nil }
        return record(from: stream, started: started, inquiry: &inquiry)
      case .pcm(let pcm):
        guard !run.isEnded else { return nil }
        let transport = transport(pcm)
        try pcm.start()
        let started = MonotonicClock.now()
        guard run.deviceStarted(transport) else { return nil }
        let mayBeReplaced = ServerSource.name(inPCM: pcm.name) != nil
        return record(
          from: pcm, started: started, asksServer: transport == .unknown || mayBeReplaced ? pcm.isSoundServer : false,
          inquiry: &inquiry)
      }
    } catch {
      return CaptureFailure.cannotOpen(error)
    }
  }

  // MARK: Opening

  private enum Opened: ~Copyable {
    /// Of a sound server, running.
    case stream(PulseMicrophone)
    /// Not started yet.
    case pcm(PCMHandle)
  }

  /// C-07: a chosen device that is absent is replaced by the default one for this press.
  private func openChosenOrDefault() throws(ALSAError) -> Opened {
    do {
      return try open(device)
    } catch {
      guard error.kind == .missing, device != "default", !run.isEnded else { throw error }
      let missing = error
      let substitute: Opened
      do { substitute = try open("default") } catch { throw missing }
      notify(.chosenDeviceAbsent(device))
      return substitute
    }
  }

  private func open(_ name: String) throws(ALSAError) -> Opened {
    do {
      return try openOnce(name)
    } catch {
      guard error.kind != .denied, !run.isEnded else { throw error }
      if error.kind == .busy, let predecessor, predecessor.holdsDevice {
        // B-96: it may be our own, of the press before, which is about to close it.
        waitForHandOver(from: predecessor, atMost: limits.closeGrace)
        guard !run.isEnded else { throw error }
      }
      // The configuration may be older than the sound server that now holds the device, or that is gone (B-95).
      ALSAConfiguration.forget()
      return try openOnce(name)
    }
  }

  private func openOnce(_ name: String) throws(ALSAError) -> Opened {
    if let route = PulseRoute.find(name),
      let stream = PulseMicrophone.open(
        // Later than whoever waits for the press gives up, so that ALSA is not tried with a server that hangs.
        route, called: name, wakeup: run.wakeup, by: MonotonicClock.now() + limits.openDeadline + limits.closeGrace,
        isWanted: { !run.isEnded })
    {
      return .stream(stream)
    }
    // Nobody wants it any more: then nothing else is tried either.
    guard !run.isEnded else { throw ALSAError(-ECANCELED, call: "pa_context_connect", pcm: name) }
    return .pcm(try PCMHandle.open(name))
  }

  // MARK: Reading

  /// What the reading loop carries from turn to turn.
  private struct Progress {
    var liveness: MicLiveness
    var converter: CaptureConverter
    var sound: [Int16] = []
    var meter = LevelMeter()
    /// The length of the device's period.
    let period: Duration
    let started: Duration
    var lastFrame: Duration
    /// When the end of the recording was asked for.
    var stopSeen: Duration?
    var overruns = 0
    /// Read since the start of the device.
    var frameCount = 0
    var framesSinceRecovery = true
    /// The sound server is to be asked about its source.
    var mustAsk: Bool
  }

  private func record(
    from source: borrowing some CaptureSource & ~Copyable, started: Duration, asksServer: Bool = false,
    inquiry: inout WorkerThread?
  ) -> BlurtError? {
    levels.publish(0)
    defer { levels.publish(0) }
    let frames = UnsafeMutableRawBufferPointer.allocate(
      byteCount: source.format.frameCount(milliseconds: Self.readMilliseconds) * source.format.frameByteCount,
      alignment: 16)
    defer { frames.deallocate() }
    var progress = Progress(
      liveness: MicLiveness(cap: limits.livenessCap(run.transport)), converter: CaptureConverter(from: source.format),
      period: .milliseconds(1_000 * source.periodFrameCount / source.format.rate), started: started,
      lastFrame: started, mustAsk: asksServer)
    do {
      while true {
        let isByTheClock = source.canBeReadByTheClock && run.isLive && progress.stopSeen == nil
        let time = isByTheClock ? clockPeriod(progress, of: source) : timeLeft(progress)
        if try source.wait(for: run.wakeup, atMost: time, byTheClock: isByTheClock) { run.wakeup.clear() }
        if run.isEnded { return nil }
        if progress.stopSeen == nil, run.isStopRequested { progress.stopSeen = MonotonicClock.now() }
        if progress.mustAsk, MonotonicClock.now() - started >= Self.inquiryDelay {
          progress.mustAsk = false
          inquiry = askAboutSource(behind: source.name)
        }
        // By now the device had its chance to deliver, also where this thread was held up since.
        let lookedAt = MonotonicClock.now()
        do throws(ALSAError) {
          let complaint = complaint(of: source)
          if progress.stopSeen != nil { source.catchUp() }
          if let told = source.takeSource() { learned(of: told, behind: source.name) }
          try readAll(from: source, into: frames, &progress)
          if let complaint { throw complaint }
        } catch {
          if progress.stopSeen != nil { break }
          try recover(source, from: error, &progress)
        }
        if progress.stopSeen != nil {
          if timeLeft(progress) <= .zero { break }
          continue
        }
        if run.isLive {
          if lookedAt - progress.lastFrame >= limits.frozenAfter {
            lose(CaptureFailure.frozen(source.name), &progress)
            return nil
          }
          continue
        }
        progress.liveness.cap = limits.livenessCap(run.transport)
        let waited = MonotonicClock.now() - started
        switch progress.liveness.verdict(after: waited) {
        case .waiting: continue
        case .live:
          // First the caller, who may go on at once; then the log.
          run.becameLive()
          report(source.name, waited, progress.liveness)
        case .expired:
          let report = report(source.name, waited, progress.liveness)
          return CaptureFailure.neverDelivered(report, frameCount: progress.liveness.frameCount, source: run.source)
        }
      }
      progress.converter.finish(into: &progress.sound)
      _ = deliver(&progress)
      run.end()
      return nil
    } catch {
      guard run.isLive else {
        report(source.name, MonotonicClock.now() - started, progress.liveness)
        return CaptureFailure.cannotOpen(error)
      }
      lose(CaptureFailure.lost(error), &progress)
      return nil
    }
  }

  /// B-100: what is there is read all the same, however ill the device is.
  private func complaint(of source: borrowing some CaptureSource & ~Copyable) -> ALSAError? {
    do {
      try source.takeEvents()
      return nil
    } catch {
      return error
    }
  }

  /// How long the sound of a live recording may pile up.
  private func clockPeriod(_ progress: Progress, of source: borrowing some CaptureSource & ~Copyable) -> Duration {
    if progress.frameCount * 1_000 < Self.firstMilliseconds * source.format.rate { return Self.firstPeriod }
    return .milliseconds(source.handOverMilliseconds)
  }

  private func askAboutSource(behind pcm: String) -> WorkerThread? {
    try? WorkerThread(name: "blurt-mic-ask") { [self] in
      if let source = askServer() { learned(of: source, behind: pcm) }
    }
  }

  private func learned(of source: ServerSource, behind pcm: String) {
    let before = run.source
    run.learned(of: source)
    if let before {
      // B-100: unplugged or changed by the user; the recording goes on from another one.
      if before.name != source.name { notify(.sourceChanged(from: before, to: source)) }
      return
    }
    // C-07: PipeWire takes its default source in the place of one that is gone, without a word.
    if let wanted = ServerSource.name(inPCM: pcm), source.name != wanted { notify(.chosenDeviceAbsent(device)) }
  }

  /// How long nothing may happen before the loop has something to decide.
  private func timeLeft(_ progress: Progress) -> Duration {
    let now = MonotonicClock.now()
    if let stopSeen = progress.stopSeen {
      // Frames came after the stop, or shortly before it: nothing that was said is still on its way.
      if progress.lastFrame > stopSeen - Self.staleAfter { return .zero }
      return stopSeen + max(Self.lastWait, progress.period) - now
    }
    if case .waiting(let remaining) = progress.liveness.verdict(after: now - progress.started) {
      return progress.mustAsk ? min(remaining, progress.started + Self.inquiryDelay - now) : remaining
    }
    return progress.lastFrame + limits.frozenAfter - now
  }

  /// Reads until nothing is left, and hands on each block as it comes.
  private func readAll(
    from source: borrowing some CaptureSource & ~Copyable, into frames: UnsafeMutableRawBufferPointer,
    _ progress: inout Progress
  ) throws(ALSAError) {
    while true {
      let frameCount = try source.read(into: frames)
      guard frameCount > 0 else { return }
      progress.lastFrame = MonotonicClock.now()
      progress.framesSinceRecovery = true
      progress.frameCount += frameCount
      let heard = Duration.milliseconds(1_000 * progress.frameCount / source.format.rate)
      guard heard <= progress.lastFrame - progress.started + Self.mostAhead else {
        throw ALSAError(
          -EIO, call: "snd_pcm_readi", pcm: source.name, detail: "it delivers sound faster than time passes")
      }
      let byteCount = frameCount * source.format.frameByteCount
      progress.converter.load(UnsafeRawBufferPointer(rebasing: frames[..<byteCount]))
      // C-15: judged before channels are merged and before anything is rounded, so that the loudest one decides.
      if !progress.liveness.isLive {
        progress.converter.loaded.withUnsafeBufferPointer { progress.liveness.hear($0, of: source.format) }
      }
      progress.converter.convert(into: &progress.sound)
      guard deliver(&progress) else { return }
      if byteCount < frames.count { return }
    }
  }

  /// Hands on the sound that is finished.
  ///
  /// - Returns: false where the capture has ended.
  private func deliver(_ progress: inout Progress) -> Bool {
    guard !progress.sound.isEmpty else { return true }
    guard progress.sound.withUnsafeBytes({ run.deliver($0) }) else { return false }
    if levels.isHeard, let level = progress.sound.withUnsafeBufferPointer({ progress.meter.hear($0) }) {
      levels.publish(level)
    }
    return true
  }

  /// C-28: an overrun and a suspend are survived; everything else is thrown on.
  private func recover(
    _ source: borrowing some CaptureSource & ~Copyable, from error: ALSAError, _ progress: inout Progress
  ) throws(ALSAError) {
    switch error.kind {
    case .overrun:
      progress.overruns += 1
      if !progress.framesSinceRecovery { _ = wait(for: run.wakeup, Self.recoveryPause) }
      try source.start()
      beganAnew(&progress)
      notify(.overrun(count: progress.overruns))
    case .suspended:
      let asleepSince = MonotonicClock.now()
      while try !source.wake() {
        guard MonotonicClock.now() - asleepSince < limits.frozenAfter else { throw error }
        _ = wait(for: run.wakeup, Self.wakePause)
        if run.isEnded || run.isStopRequested { return }
      }
      beganAnew(&progress)
      notify(.resumed)
    case .busy, .denied, .missing, .failed:
      throw error
    }
  }

  /// The device runs again. A machine that stood still for longer than a device may be silent has not lost its microphone
  /// (B-94); one that only fails again and brings no frame has.
  private func beganAnew(_ progress: inout Progress) {
    if progress.framesSinceRecovery { progress.lastFrame = MonotonicClock.now() }
    progress.framesSinceRecovery = false
  }

  /// The device is gone: the feed ends, what was captured stays (B-100).
  private func lose(_ error: UnderlyingError, _ progress: inout Progress) {
    progress.converter.finish(into: &progress.sound)
    _ = deliver(&progress)
    run.end()
    notify(.deviceLost(error, byteCount: run.byteCount))
  }

  @discardableResult
  private func report(
    _ pcm: String, _ waited: Duration, _ liveness: MicLiveness
  ) -> BringUpReport {
    let report = BringUpReport(
      pcm: pcm, transport: run.transport, waited: waited, powerDB: liveness.powerDB, isLive: liveness.isLive)
    notify(.broughtUp(report))
    return report
  }

  // MARK: Waiting

  /// Waits for the device of the press before, unless nobody wants this press any more.
  private func waitForHandOver(from predecessor: CaptureRun, atMost time: Duration) {
    var entries = [predecessor.closed, run.wakeup].map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&entries, nfds_t(entries.count), Self.pollTime(time))
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
