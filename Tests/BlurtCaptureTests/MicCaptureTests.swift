import BlurtCapture
import BlurtEngine
import BlurtOS
import BlurtTestSupport
import Glibc
import Synchronization
import Testing

/// Collects the notices of a microphone.
private final class Notices: Sendable {
  private let all = Mutex<[CaptureNotice]>([])
  var list: [CaptureNotice] { all.withLock { $0 } }
  func add(_ notice: CaptureNotice) { all.withLock { $0.append(notice) } }

  var report: BringUpReport? {
    list.lazy.compactMap { if case .broughtUp(let report) = $0 { report } else { nil } }.first
  }
  var overruns: Int { list.count { if case .overrun = $0 { true } else { false } } }
  var losses: [UnderlyingError] { list.compactMap { if case .deviceLost(let error, _) = $0 { error } else { nil } } }
}

/// The capture fault a failed start carries.
private func fault(_ error: any Error) -> CaptureFault? {
  guard case .audioCaptureFailed(let underlying) = error as? BlurtError, underlying.domain == .capture else {
    return nil
  }
  return CaptureFault(rawValue: underlying.code)
}

private func message(_ error: any Error) -> String { (error as? BlurtError)?.underlying?.message ?? "\(error)" }

@Suite(.enabled(if: ALSARig.isThere, ALSARig.reason), .serialized, .timeLimit(.minutes(1)))
struct MicCaptureTests {
  private let notices = Notices()

  private func microphone(
    _ device: RigDevice, clock: any Clock<Duration> = ContinuousClock(), transport: AudioTransport? = nil,
    _ change: (inout CaptureLimits) -> Void = { _ in }
  ) -> MicCapture {
    var limits = CaptureLimits()
    change(&limits)
    let name = device.name
    // The probe knows nothing of the rig's devices.
    let chosen: @Sendable (String) -> AudioTransport? = { _ in transport }
    return MicCapture(
      device: { name }, clock: clock, limits: limits, transport: chosen, onNotice: { [notices] in notices.add($0) })
  }

  // MARK: The ordinary way

  @Test("C-01 C-08 C-09 the feed has every frame from the first on, byte for byte, and stop returns their count")
  func byteExact() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let recording = MemoryRecording()
    let feed = try await microphone.start(keepingIn: recording)
    let reader = FeedReader(feed)
    try await reader.wait(forMilliseconds: 600)
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count)
    #expect(bytes == Array(device.sound.prefix(count)))
    #expect(recording.bytes == bytes)
    #expect(feed.recording === recording)
    #expect(notices.overruns == 0)
    #expect(!device.isOpen)
  }

  @Test("C-02 C-03 stop and cancel with nothing running: 0 bytes, no effect")
  func nothingRunning() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    #expect(try await microphone.stop() == 0)
    try await microphone.cancelCapture()
    #expect(device.log == [])
  }

  @Test("C-03 cancel ends the feed and closes the device within one call")
  func cancel() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await microphone.cancelCapture()
    #expect(device.log == ["open", "close"])
    #expect(!device.isOpen)
    _ = try await reader.finish()
    #expect(try await microphone.stop() == 0)
  }

  @Test("C-05 warming up opens nothing")
  func warmUp() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    await microphone.warmUp()
    #expect(device.log == [])
    #expect(!OpenFiles.contain("/dev/snd/"))
    #expect(OpenFiles.threadCount(named: "blurt-mic-warm") == 0)
  }

  @Test("C-06 C-12 two presses open two handles on the device of that moment; none is open between or after")
  func freshEachPress() async throws {
    let devices = [try RigDevice(), try RigDevice()]
    let names = devices.map(\.name)
    let press = Atomic<Int>(0)
    let microphone = MicCapture(device: { names[press.load(ordering: .relaxed)] })
    for index in 0..<2 {
      press.store(index, ordering: .relaxed)
      _ = try await microphone.start(keepingIn: nil)
      #expect(devices[index].isOpen)
      _ = try await microphone.stop()
      #expect(devices[index].log == ["open", "close"])
      #expect(!devices[index].isOpen)
      try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 }
    }
  }

  @Test("C-07 a chosen device that is absent gives way to the default one for this press alone")
  func chosenAbsent() async throws {
    let asked = Atomic<Int>(0)
    let microphone = MicCapture(
      device: {
        asked.add(1, ordering: .relaxed)
        return "headset_left_at_home"
      }, onNotice: notices.add)
    for press in 1...2 {
      let reader = FeedReader(try await microphone.start(keepingIn: nil))
      try await reader.wait(forMilliseconds: 40)
      #expect(try await microphone.stop() > 0)
      // Asked again at each press: the choice is kept.
      #expect(asked.load(ordering: .relaxed) == press)
    }
    #expect(notices.list.count { $0 == .chosenDeviceAbsent("headset_left_at_home") } == 2)
  }

  @Test("C-08 dropping the recorder ends the feed and closes the device")
  func dropped() async throws {
    let device = try RigDevice()
    var microphone: MicCapture? = microphone(device)
    let feed = try #require(try await microphone?.start(keepingIn: nil))
    microphone = nil
    _ = try await FeedReader(feed).finish()
    try await eventually { !device.isOpen }
  }

  @Test("C-20 success and failure are reported with transport, time and power")
  func reports() async throws {
    let device = try RigDevice("START=100")
    let microphone = microphone(device, transport: .usb)
    _ = try await microphone.start(keepingIn: nil)
    _ = try await microphone.stop()
    let report = try #require(notices.report)
    #expect(report.transport == .usb && report.isLive)
    #expect(report.waited >= .milliseconds(100))
    #expect(report.powerDB > -40 && report.powerDB < 0)

    let failures = Notices()
    let silent = try RigDevice(sound: nil)
    let name = silent.name
    var limits = CaptureLimits()
    limits.livenessCap = { _ in .milliseconds(60) }
    let failing = MicCapture(device: { name }, limits: limits, onNotice: failures.add)
    await #expect(throws: BlurtError.self) { try await failing.start(keepingIn: nil) }
    let failure = try #require(failures.report)
    #expect(failure.transport == .unknown && !failure.isLive)
    #expect(failure.waited >= .milliseconds(60))
    #expect(failure.powerDB == -160)
  }

  // MARK: Bringing it up

  @Test(
    "B-96 C-19 a device that is busy, denied or will not start is an error that says what to do, at once, and nothing stays open",
    arguments: [
      ("OPENERR=16", -16, "fuser"), ("OPENERR=13", -13, "audio"), ("STARTERR=5", nil, "did not start"),
    ] as [(String, Int?, String)])
  func refusals(option: String, code: Int?, hint: String) async throws {
    let device = try RigDevice(sound: "noise16.raw", option)
    // Nothing is waited for: this clock stands still, and the cap is longer than the test may last.
    let microphone = microphone(device, clock: TestClock()) { $0.livenessCap = { _ in .seconds(600) } }
    let recording = MemoryRecording()
    let error = try #require(
      await #expect(throws: BlurtError.self) { try await microphone.start(keepingIn: recording) })
    #expect(recording.bytes == [])
    if let code {
      #expect(error.underlying == UnderlyingError(domain: .alsa, code: code, message: ""))
    } else {
      #expect(fault(error) == .noInputDevice)
    }
    #expect(message(error).contains(hint) && message(error).contains(device.name))
    #expect(!device.isOpen)
    #expect(try await microphone.stop() == 0)
    try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 }
  }

  @Test("B-96 a press right after a recording waits until its own device is closed, and does not call it busy")
  func ownDeviceIsBusy() async throws {
    let device = try RigDevice()
    let microphone = microphone(device) {
      $0.handOver = .milliseconds(20)
      $0.closeGrace = .seconds(30)
    }
    let (isHeldUp, isHolding) = (Box(true), Box(false))
    let recording = MemoryRecording { received in
      guard received > 3_200 else { return }
      isHolding.value = true
      while isHeldUp.value { usleep(1_000) }
    }
    _ = try await microphone.start(keepingIn: recording)
    try await eventually { isHolding.value }
    try device.tell("busy")
    let next = Task { try await microphone.start(keepingIn: nil) }
    try await eventually { device.log.contains("busy") }
    try device.tell("")
    isHeldUp.value = false
    _ = try await next.value
    // One refusal, and no other try before the close.
    #expect(device.log == ["open", "busy", "close", "open"])
    try await microphone.cancelCapture()
  }

  @Test("C-17 C-21 C-24 B-107 a Bluetooth microphone may take 1.5 s to deliver")
  func slowBluetooth() async throws {
    let device = try RigDevice("START=1500")
    let microphone = microphone(device, transport: .bluetooth)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await eventually { notices.report != nil }
    #expect(try #require(notices.report).waited >= .milliseconds(1_500))
    try await reader.wait(forMilliseconds: 100)
    try await microphone.cancelCapture()
    #expect(device.sound.starts(with: try await reader.finish()))
  }

  @Test("B-97 the first press after a long pause finds a device that sleeps: waking it does not count against its cap")
  func asleep() async throws {
    let awake = try RigDevice()
    // The card needs a while to be opened, and once started a while to deliver; a local one has 300 ms from its start.
    let asleep = try RigDevice("OPENMS=600", "START=120")
    let names = [awake.name, asleep.name]
    let press = Atomic<Int>(0)
    let clock = TestClock()
    let microphone = MicCapture(
      device: { names[press.load(ordering: .relaxed)] }, clock: clock, transport: { _ in .builtIn },
      onNotice: { [notices] in notices.add($0) })
    _ = try await microphone.start(keepingIn: nil)
    _ = try await microphone.stop()
    // Ten minutes in which nothing of the device is open and no timer of the microphone's runs.
    try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 && clock.deadlines.isEmpty }
    #expect(!awake.isOpen)
    clock.advance(by: .seconds(600))
    press.store(1, ordering: .relaxed)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 300)
    let count = try await microphone.stop()
    // From its first frame on.
    #expect(try await reader.finish() == Array(asleep.sound.prefix(count)))
    #expect(notices.list.count { if case .broughtUp(let report) = $0 { report.isLive } else { false } } == 2)
    #expect(asleep.log == ["wait", "open", "close"])
  }

  @Test("C-17 C-18 C-23 B-112 a device that delivers no frame within its cap fails closed")
  func neverDelivers() async throws {
    let device = try RigDevice("START=60000")
    let microphone = microphone(device) { $0.livenessCap = { $0 == .unknown ? .milliseconds(200) : .seconds(9) } }
    let error = try #require(await #expect(throws: BlurtError.self) { try await microphone.start(keepingIn: nil) })
    #expect(fault(error) == .inputNeverDelivered)
    #expect(!message(error).contains("mute"))
    // Torn down before the error was thrown.
    #expect(device.log == ["open", "close"])
    #expect(!device.isOpen)
  }

  @Test("C-13 C-18 C-25 nothing but zeros fails closed and mentions mute; no byte is lost from the recording")
  func zeros() async throws {
    let device = try RigDevice(sound: nil)
    let microphone = microphone(device) { $0.livenessCap = { _ in .milliseconds(200) } }
    let recording = MemoryRecording()
    let error = try #require(
      await #expect(throws: BlurtError.self) { try await microphone.start(keepingIn: recording) })
    #expect(fault(error) == .inputNeverDelivered)
    // C-25: mute is mentioned, and the device named.
    #expect(message(error).contains("muted") && message(error).contains(device.name))
    #expect(recording.byteCount > 0)
    #expect(device.log == ["open", "close"])
  }

  @Test("B-105 C-13 700 ms of zeros, then speech: start returns at the sound, and the feed has both")
  func lazyStart() async throws {
    let device = try RigDevice("ZEROS=700")
    // Not the cap ends the wait.
    let microphone = microphone(device, transport: .unknown) { $0.livenessCap = { _ in .seconds(20) } }
    let recording = MemoryRecording()
    let feed = try await microphone.start(keepingIn: recording)
    let zeros = 700 * 32
    // Live with the sound, and with nothing but what a busy machine read late.
    #expect(recording.byteCount >= zeros && recording.byteCount <= zeros + 5_000 * 32)
    let reader = FeedReader(feed)
    try await reader.wait(forMilliseconds: 1_000)
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count)
    #expect(bytes.prefix(zeros).allSatisfy { $0 == 0 })
    #expect(Array(bytes.dropFirst(zeros)) == Array(device.sound.prefix(count - zeros)))
  }

  @Test("C-10 cancelling while the device opens throws at once; what opens later is closed")
  func cancelWhileOpening() async throws {
    let device = try RigDevice()
    try device.tell("hold")
    let microphone = microphone(device)
    let start = Task { try await microphone.start(keepingIn: nil) }
    try await eventually { device.log == ["wait"] }
    start.cancel()
    await #expect(throws: CancellationError.self) { try await start.value }
    // Its open still blocks.
    #expect(device.log == ["wait"])
    try device.tell("")
    try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 }
    #expect(device.log == ["wait", "open", "close"])
    #expect(!device.isOpen)
  }

  @Test("C-10 cancelling while the device settles leaves nothing open, no thread and a finished feed")
  func cancelWhileSettling() async throws {
    let device = try RigDevice(sound: nil)
    let microphone = microphone(device) { $0.livenessCap = { _ in .seconds(30) } }
    let recording = MemoryRecording()
    let start = Task { try await microphone.start(keepingIn: recording) }
    try await eventually { recording.byteCount > 0 }
    start.cancel()
    await #expect(throws: CancellationError.self) { try await start.value }
    try await eventually { !device.isOpen && OpenFiles.threadCount(named: "blurt-mic") == 0 }
    #expect(try await microphone.stop() == 0)
  }

  @Test("C-10 a start whose task is already cancelled opens nothing")
  func cancelledBefore() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let start = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await microphone.start(keepingIn: nil)
    }
    await #expect(throws: CancellationError.self) { try await start.value }
    #expect(device.log == [])
  }

  @Test("B-106 a release while the device still opens ends the press at once: 0 bytes, nothing left open")
  func releaseWhileOpening() async throws {
    let device = try RigDevice()
    try device.tell("hold")
    let microphone = microphone(device)
    let start = Task { try await microphone.start(keepingIn: nil) }
    try await eventually { device.log == ["wait"] }
    #expect(try await microphone.stop() == 0)
    await #expect(throws: CancellationError.self) { try await start.value }
    // Its open still blocks.
    #expect(device.log == ["wait"])
    try device.tell("")
    try await eventually { device.log == ["wait", "open", "close"] && OpenFiles.threadCount(named: "blurt-mic") == 0 }
  }

  @Test("C-19 an open that hangs is given up at its deadline, without waiting for it")
  func openHangs() async throws {
    let device = try RigDevice()
    try device.tell("hold")
    let clock = TestClock()
    let microphone = microphone(device, clock: clock)
    let start = Task { try await microphone.start(keepingIn: nil) }
    try await eventually { device.log == ["wait"] }
    try await eventually { clock.deadlines.contains(CaptureLimits().openDeadline) }
    clock.advance(by: CaptureLimits().openDeadline)
    let error = try #require(await #expect(throws: BlurtError.self) { try await start.value })
    #expect(fault(error) == .noInputDevice)
    #expect(message(error).contains("sound server"))
    #expect(device.log == ["wait"])
    try device.tell("")
    try await eventually { device.log == ["wait", "open", "close"] }
  }

  @Test("presses that hang in a silent sound server are refused once there are several")
  func stranded() async throws {
    let device = try RigDevice()
    try device.tell("hold")
    let microphone = microphone(device) {
      $0.strandedLimit = 2
      $0.handOver = .zero
    }
    for press in 1...2 {
      let start = Task { try await microphone.start(keepingIn: nil) }
      try await eventually { device.log.count { $0 == "wait" } == press }
      start.cancel()
      await #expect(throws: CancellationError.self) { try await start.value }
    }
    let error = try #require(await #expect(throws: BlurtError.self) { try await microphone.start(keepingIn: nil) })
    #expect(fault(error) == .noInputDevice)
    try device.tell("")
    try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 }
    _ = try await microphone.start(keepingIn: nil)
    try await microphone.cancelCapture()
  }

  @Test("presses that are taken back at once never make a slow sound server look silent, and leave no thread behind")
  func quickTaps() async throws {
    let device = try RigDevice("OPENMS=30")
    let microphone = microphone(device)
    for _ in 1...60 {
      let start = Task { try await microphone.start(keepingIn: nil) }
      try await eventually { OpenFiles.threadCount(named: "blurt-mic") > 0 }
      start.cancel()
      await #expect(throws: CancellationError.self) { try await start.value }
    }
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 50)
    try await microphone.cancelCapture()
    try await eventually { OpenFiles.threadCount(named: "blurt-mic") == 0 }
    // A device is opened only when the one before is closed.
    let opened = device.log.filter { $0 != "wait" }
    #expect(zip(opened, opened.dropFirst()).allSatisfy { $0 != $1 }, "\(opened)")
  }

  // MARK: While it runs

  @Test("C-28 B-94 an overrun is survived: capture starts again, the gap is counted, the sound goes on where it is now")
  func forcedOverrun() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 200)
    try device.tell("xrun")
    try await eventually { notices.overruns == 1 }
    let before = reader.bytes.count
    try await reader.wait(forMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: before) + 300)
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count)
    #expect(notices.overruns == 1)
    // Two true pieces of the sound, the second from later on.
    #expect(bytes.prefix(before) == device.sound.prefix(before))
    #expect(position(of: bytes.suffix(3_200), in: device.sound) ?? 0 > before)
  }

  @Test("C-28 B-94 a capture thread that was held up past the buffer loses sound, not the utterance")
  func realOverrun() async throws { try await goesOn(afterMicroseconds: 300_000) }

  @Test("C-28 B-94 B-112 a machine that stood still for longer than a device may be silent goes on recording")
  func heldUpBeyondFrozen() async throws {
    try await goesOn(afterMicroseconds: 1_500_000) { $0.frozenAfter = .seconds(1) }
  }

  /// The capture thread is held up for so long on a buffer of 100 ms, once.
  private func goesOn(
    afterMicroseconds pause: UInt32, _ change: (inout CaptureLimits) -> Void = { _ in }
  ) async throws {
    let device = try RigDevice("BUFFER=1600")
    let microphone = microphone(device, change)
    let isHeldUp = Atomic<Bool>(true)
    let recording = MemoryRecording { received in
      if received > 6_400, isHeldUp.exchange(false, ordering: .relaxed) { usleep(pause) }
    }
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await eventually { notices.overruns == 1 }
    let before = reader.bytes.count
    try await reader.wait(forMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: before) + 200)
    #expect(try await microphone.stop() == recording.byteCount)
    #expect(notices.losses == [])
  }

  @Test("C-28 B-94 a process that stood still for 700 ms loses nothing: the buffer holds two seconds")
  func heldUpWithinBuffer() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let isHeldUp = Atomic<Bool>(true)
    let recording = MemoryRecording { received in
      if received > 6_400, isHeldUp.exchange(false, ordering: .relaxed) { usleep(700_000) }
    }
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 1_200)
    let count = try await microphone.stop()
    #expect(notices.overruns == 0)
    #expect(try await reader.finish() == Array(device.sound.prefix(count)))
  }

  @Test("C-28 a suspend is survived")
  func suspend() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 200)
    try device.tell("suspend")
    try await eventually { notices.list.contains(.resumed) }
    let before = reader.bytes.count
    try await reader.wait(forMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: before) + 200)
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count)
    #expect(notices.losses == [])
    // Both pieces are the device's sound: the one before the suspend whole, the one after it from where the room is now.
    #expect(bytes.prefix(200 * 32) == device.sound.prefix(200 * 32))
    #expect(position(of: bytes.suffix(3_200), in: device.sound) ?? 0 >= 200 * 32)
  }

  @Test("C-28 B-100 an unplugged device ends the feed; what was captured stays and stop returns it")
  func unplug() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let recording = MemoryRecording()
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 300)
    try device.tell("unplug")
    let bytes = try await reader.finish()
    #expect(bytes.count >= 300 * 32)
    #expect(bytes == Array(device.sound.prefix(bytes.count)))
    #expect(recording.bytes == bytes)
    try await eventually { !device.isOpen }
    #expect(notices.losses.map(\.code) == [CaptureFault.deviceLost.rawValue])
    #expect(try await microphone.stop() == bytes.count)
    // The next press works as soon as the device is back.
    try device.tell("")
    _ = try await microphone.start(keepingIn: nil)
    try await microphone.cancelCapture()
  }

  @Test("B-112 a device that freezes while recording is noticed, closed, and its sound kept")
  func freeze() async throws {
    let device = try RigDevice()
    let microphone = microphone(device) { $0.frozenAfter = .milliseconds(300) }
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 200)
    try device.tell("freeze")
    let bytes = try await reader.finish()
    #expect(bytes.count >= 200 * 32)
    try await eventually { !device.isOpen }
    #expect(notices.losses.first?.message.contains("stopped delivering") == true)
    #expect(try await microphone.stop() == bytes.count)
  }

  @Test("B-116 a PCM that delivers without a clock is given up before it fills the spool")
  func unpaced() async throws {
    var limits = CaptureLimits()
    // Its zeros do not end it: its haste does.
    limits.livenessCap = { _ in .seconds(600) }
    let microphone = MicCapture(device: { "null" }, limits: limits, onNotice: { [notices] in notices.add($0) })
    let recording = MemoryRecording()
    let error = await #expect(throws: BlurtError.self) { _ = try await microphone.start(keepingIn: recording) }
    #expect(error?.diagnosticName == "audioCaptureFailed")
    #expect(error?.description.contains("null") == true)
    // Five seconds ahead of the time that has passed, and one read more.
    let waited = try #require(notices.report).waited
    #expect(SyncSTTLimits.milliseconds(ofByteCount: recording.byteCount) <= Int(waited / .milliseconds(1)) + 5_200)
  }

  @Test("C-28 a stop takes the frames of the last period along, and a card is read once for each period")
  func lastPeriod() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let appends = Atomic<Int>(0)
    let recording = MemoryRecording { _ in appends.add(1, ordering: .relaxed) }
    _ = try await microphone.start(keepingIn: recording)
    try await eventually { recording.byteCount >= 600 * 32 }
    let count = try await microphone.stop()
    // Pieces of 20 ms, and what a stop finds. A late thread reads several at once, so fewer is right and more is not.
    #expect(appends.load(ordering: .relaxed) <= count / 640 + 2)
  }

  @Test(
    "C-28 a word that ends 50 ms before the stop is whole, whatever the device's period", arguments: [64, 960, 4_096])
  func lastWord(period: Int) async throws {
    // At 48 kHz: 1.3, 20 and 85 ms. The rig hands over whole periods only, as the poorest of cards do.
    let device = try RigDevice(sound: "tone48000.raw", "RATE=48000", "PERIOD=\(period)")
    let microphone = microphone(device) { $0.frozenAfter = .seconds(40) }
    // Stops at different places within a period.
    for milliseconds in [200, 217, 234, 251, 268, 285] {
      let reader = FeedReader(try await microphone.start(keepingIn: nil))
      try await reader.wait(forMilliseconds: 100)
      let began = device.startTime
      try await eventually { MonotonicClock.now() - began > .milliseconds(milliseconds) }
      // A stop that waited for more than the last period would wait until the device is taken for lost.
      let stopped = MonotonicClock.now()
      let count = try await microphone.stop()
      let heardUntil = began + .milliseconds(1) * SyncSTTLimits.milliseconds(ofByteCount: count)
      #expect(heardUntil > stopped - .milliseconds(50), "\(milliseconds) ms: \(heardUntil - stopped)")
      #expect(MonotonicClock.now() - stopped < .seconds(20))
    }
  }

  @Test("a device with tiny periods wakes the capture thread no more often than one of 20 ms", arguments: [64, 128])
  func tinyPeriods(period: Int) async throws {
    let device = try RigDevice(sound: "tone48000.raw", "RATE=48000", "PERIOD=\(period)")
    let microphone = microphone(device)
    let appends = Atomic<Int>(0)
    let recording = MemoryRecording { _ in appends.add(1, ordering: .relaxed) }
    _ = try await microphone.start(keepingIn: recording)
    try await eventually { recording.byteCount >= 1_000 * 32 }
    let count = try await microphone.stop()
    // The first reads come as fast as the device; the last one and the filter's rest are extra.
    #expect(appends.load(ordering: .relaxed) <= count / 640 + 20)
  }

  // MARK: Formats

  @Test(
    "C-27 B-102 a device with another rate gives the right pitch, level and length, without seams",
    arguments: [44_100, 48_000, 96_000])
  func otherRates(rate: Int) async throws {
    let device = try RigDevice(sound: "tone\(rate).raw", "RATE=\(rate)")
    let tone = try await tone(device)
    #expect(abs(tone.frequency - 440) < 4)
    #expect(abs(tone.peak - 16_384) < 500)
    // The steepest step of a 440 Hz sine of that height at 16 kHz is 2,831.
    #expect(tone.steepest < 3_100)
  }

  @Test(
    "C-15 C-27 B-103 a stereo-only device works: no cancellation of inverted channels, no loss of a one-sided voice",
    arguments: ["inverted48000.raw", "right48000.raw"])
  func stereoOnly(file: String) async throws {
    let device = try RigDevice(sound: file, "RATE=48000", "CHANNELS=2")
    let tone = try await tone(device)
    #expect(abs(tone.frequency - 440) < 4)
    #expect(abs(tone.peak - 16_384) < 500)
    #expect(tone.steepest < 3_100)
    #expect(device.log.count { $0 == "open" } == 1)
    #expect(!device.isOpen)
  }

  @Test("C-27 a format that we do not read goes through ALSA's own conversion")
  func unreadFormat() async throws {
    let bytes = (0..<32_000).map { frame in UInt8(128 + Int(64 * sin(2 * Double.pi * 440 * Double(frame) / 16_000))) }
    let device = try RigDevice(playing: bytes, "FORMAT=u8")
    let tone = try await tone(device)
    #expect(abs(tone.frequency - 440) < 4)
    #expect(abs(tone.peak - 16_384) < 500)
    #expect(device.log.count { $0 == "open" } == 2)
    #expect(!device.isOpen)
  }

  // MARK: Tail

  @Test("C-29 stop on Bluetooth goes on for 220 ms, and what is said meanwhile is captured")
  func bluetoothTail() async throws {
    let device = try RigDevice()
    let clock = TestClock()
    let microphone = microphone(device, clock: clock, transport: .bluetooth)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    let begun = reader.bytes.count
    let stop = Task { try await microphone.stop() }
    try await eventually { clock.deadlines.contains(.milliseconds(220)) }
    // Still capturing while the tail runs.
    try await reader.wait(forMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: begun) + 100)
    #expect(!reader.hasEnded)
    clock.advance(by: .milliseconds(219))
    await Task.yield()
    #expect(device.isOpen)
    clock.advance(by: .milliseconds(1))
    #expect(try await stop.value == reader.finish().count)
    #expect(!device.isOpen)
  }

  @Test(
    "C-29 no tail for other transports, and never in a cancel", arguments: [AudioTransport.usb, .unknown, .bluetooth])
  func noTail(transport: AudioTransport) async throws {
    let device = try RigDevice()
    // This clock stands still: a tail would never end.
    let microphone = microphone(device, clock: TestClock(), transport: transport)
    _ = try await microphone.start(keepingIn: nil)
    if transport == .bluetooth {
      try await microphone.cancelCapture()
    } else {
      #expect(try await microphone.stop() > 0)
    }
    #expect(!device.isOpen)
  }

  @Test("C-11 a stop of a capture that another press has replaced does not touch the new one")
  func replaced() async throws {
    let device = try RigDevice()
    let clock = TestClock()
    let microphone = microphone(device, clock: clock, transport: .bluetooth)
    let old = FeedReader(try await microphone.start(keepingIn: nil))
    let stop = Task { try await microphone.stop() }
    try await eventually { clock.deadlines.contains(.milliseconds(220)) }
    let new = FeedReader(try await microphone.start(keepingIn: nil))
    // The earlier capture ended, and its device closed before the new one opened.
    _ = try await old.finish()
    #expect(device.log == ["open", "close", "open"])
    clock.advance(by: .milliseconds(220))
    #expect(try await stop.value == old.bytes.count)
    let before = new.bytes.count
    try await new.wait(forMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: before) + 100)
    #expect(!new.hasEnded)
    try await microphone.cancelCapture()
    #expect(device.log == ["open", "close", "open", "close"])
  }

  // MARK: Levels

  @Test("C-04 C-30 C-31 C-32 the meter runs while someone listens: from 0, over the sound, back to 0, without repeats")
  func levels() async throws {
    let device = try RigDevice()
    let microphone = microphone(device)
    let values = Mutex<[Float]>([])
    let stream = microphone.levels
    let listener = Task { for await value in stream { values.withLock { $0.append(value) } } }
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 500)
    _ = try await microphone.stop()
    try await eventually { values.withLock { $0.count > 2 && $0.last == 0 } }
    listener.cancel()
    let seen = values.withLock { $0 }
    #expect(seen.allSatisfy { (0...1).contains($0) })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
    #expect(seen.contains { $0 > 0.4 })
    // 20 a second, and the two zeros.
    #expect(seen.count <= 20 * (SyncSTTLimits.milliseconds(ofByteCount: reader.bytes.count) + 50) / 1_000 + 2)
  }

  // MARK: Help

  private func position(of needle: some Collection<UInt8>, in hay: [UInt8]) -> Int? {
    let needle = Array(needle)
    guard let first = needle.first else { return nil }
    return stride(from: 0, through: hay.count - needle.count, by: 2).first { start in
      hay[start] == first && hay[start..<start + needle.count].elementsEqual(needle)
    }
  }

  /// Records half a second of a steady tone and measures it, past the first 100 ms.
  private func tone(_ device: RigDevice) async throws -> (frequency: Double, peak: Int, steepest: Int) {
    let microphone = microphone(device)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 620)
    _ = try await microphone.stop()
    let heard = samples(try await reader.finish())[1_600..<9_600].map(Int.init)
    var crossings: [Double] = []
    for index in 1..<heard.count where heard[index - 1] < 0 && heard[index] >= 0 {
      crossings.append(Double(index - 1) + Double(-heard[index - 1]) / Double(heard[index] - heard[index - 1]))
    }
    let first = try #require(crossings.first)
    let last = try #require(crossings.last)
    return (
      Double(crossings.count - 1) / (last - first) * 16_000, heard.map(abs).max() ?? 0,
      zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    )
  }
}
