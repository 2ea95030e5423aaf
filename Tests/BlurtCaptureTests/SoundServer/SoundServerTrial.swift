import BlurtEngine
import BlurtOS
import BlurtTestSupport
import Glibc
import Synchronization
import Testing

@testable import BlurtCapture

/// What every way into a sound server must stand: the same trials for ALSA's `default`, for PulseAudio's plug-in and for
/// PipeWire's own.
///
/// A server that is short of time loses sound or answers late, which is not ours to judge: what a trial wants to see, it
/// tries to see a few times.
struct SoundServerTrial {
  private static let attempts = 6
  /// As nobody can say how soon a player on a busy machine begins.
  private static let patient: @Sendable (AudioTransport) -> Duration = { _ in .seconds(30) }

  /// The ALSA PCM.
  let pcm: String

  private final class Notices: Sendable {
    private let all = Mutex<[CaptureNotice]>([])
    var list: [CaptureNotice] { all.withLock { $0 } }
    func add(_ notice: CaptureNotice) { all.withLock { $0.append(notice) } }
    var moves: [(String, String)] {
      list.compactMap { if case .sourceChanged(let from, let to) = $0 { (from.name, to.name) } else { nil } }
    }
    var losses: Int { list.count { if case .deviceLost = $0 { true } else { false } } }
  }

  private let notices = Notices()

  private func microphone(
    _ name: String? = nil, clock: any Clock<Duration> = ContinuousClock(), isPatient: Bool = true
  ) -> MicCapture {
    let name = name ?? pcm
    var limits = CaptureLimits()
    if isPatient { limits.livenessCap = Self.patient }
    // A server that is restarted under load takes its time to answer.
    limits.openDeadline = .seconds(60)
    return MicCapture(
      device: { name }, clock: clock, limits: limits, onNotice: { [notices] notice in notices.add(notice) })
  }

  /// Why a press fails, in the words that the user sees.
  private func failure(of microphone: MicCapture) async -> String? {
    do {
      _ = try await microphone.start(keepingIn: nil)
      try await microphone.cancelCapture()
      return nil
    } catch { return (error as? BlurtError)?.underlying?.message ?? "\(error)" }
  }

  /// Presses until the press fails with these words, since what the server says may come too late for the first.
  private func expectFailure(
    _ microphone: MicCapture, naming words: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    var said: String?
    for _ in 0..<Self.attempts {
      said = await failure(of: microphone)
      if let said, words.allSatisfy({ said.contains($0) }) { return }
    }
    Issue.record("a press says: \(said ?? "nothing, it works")", sourceLocation: sourceLocation)
  }

  /// Records the speech from a sink until what was heard is like it.
  @discardableResult private func expectSpeech(
    from sink: TestSink, atLeast correlation: Double, through microphone: MicCapture, note: String = "",
    into makeRecording: () -> MemoryRecording = { MemoryRecording() }, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SpeechLikeness? {
    let spoken = try SoundServer.spoken()
    var best: SpeechLikeness?
    for _ in 0..<Self.attempts {
      let player = try sink.playSpeech()
      let recording = makeRecording()
      let reader = FeedReader(try await microphone.start(keepingIn: recording))
      try await reader.wait(forMilliseconds: 3_000)
      let count = try await microphone.stop()
      withExtendedLifetime(player) {}
      let bytes = try await reader.finish()
      #expect(bytes.count == count && recording.bytes == bytes, sourceLocation: sourceLocation)
      let found = SpeechLikeness(of: spoken, in: samples(bytes).map(Float.init))
      if found.correlation > best?.correlation ?? -2 { best = found }
      if found.correlation >= correlation, abs(found.levelDB) <= 0.5 { break }
    }
    let found = try #require(best)
    print("\(SoundServer.name ?? "") \(pcm) \(note): correlation \(found.correlation), level \(found.levelDB) dB")
    #expect(found.correlation >= correlation, sourceLocation: sourceLocation)
    #expect(abs(found.levelDB) <= 0.5, sourceLocation: sourceLocation)
    return best
  }

  // MARK: The trials

  /// C-27: what is heard is what was played.
  func speech(_ sink: String, rate: Int, channels: Int, format: String) async throws {
    let sink = try await TestSink(sink, rate: rate, channels: channels, format: format)
    try await expectSpeech(from: sink, atLeast: 0.99, through: microphone(), note: "\(rate) Hz, \(channels), \(format)")
  }

  /// B-94: nobody reads for 1.5 s in the middle of a word.
  func heldUp() async throws {
    let sink = try await TestSink("patient")
    try await expectSpeech(
      from: sink, atLeast: 0.98, through: microphone(), note: "held up",
      into: {
        let mustHold = Box(true)
        return MemoryRecording { received in
          guard received > 16_000, mustHold.value else { return }
          mustHold.value = false
          usleep(1_500_000)
        }
      })
    #expect(notices.losses == 0)
  }

  /// B-99, and a monitor as the default source.
  func defaultChanges() async throws {
    let talking = try await TestSink("talking")
    let silent = try await TestSink("silent")
    // The silent one is dead: nobody plays anything into it.
    await expectFailure(
      microphone(isPatient: false), naming: ["not a microphone", silent.name, "pactl set-default-source"])
    try await SoundServer.useSource(talking.source)
    try await expectSpeech(from: talking, atLeast: 0.98, through: microphone(), note: "after the default changed")
    // And back.
    try await SoundServer.useSource(silent.source)
    await expectFailure(microphone(isPatient: false), naming: ["not a microphone", silent.name])
  }

  /// C-25.
  func muted() async throws {
    let sink = try await TestSink("muted")
    try SoundServer.run("pactl set-source-mute \(sink.source) 1")
    let player = try sink.playSpeech()
    await expectFailure(
      microphone(isPatient: false),
      naming: ["muted in the sound server", sink.name, "pactl set-source-mute \(sink.source) 0"])
    withExtendedLifetime(player) {}
    try SoundServer.run("pactl set-source-mute \(sink.source) 0")
    try await expectSpeech(from: sink, atLeast: 0.98, through: microphone(), note: "unmuted")
  }

  /// C-21, C-29: 220 ms more for a headset, whatever stands between.
  func bluetoothTail() async throws {
    let sink = try await TestSink("radio")
    let headset = try await Headset(behind: sink)
    for _ in 0..<Self.attempts {
      let player = try sink.playSpeech()
      let clock = TestClock()
      let microphone = microphone(clock: clock)
      let reader = FeedReader(try await microphone.start(keepingIn: nil))
      // The server's answer comes beside the sound, within milliseconds on a machine that has time.
      try await reader.wait(forMilliseconds: 600)
      let hasStopped = Box(false)
      let stop = Task {
        let count = try await microphone.stop()
        hasStopped.value = true
        return count
      }
      let tail = AudioTransport.bluetooth.tail
      try await eventually { clock.deadlines.contains(tail) || hasStopped.value }
      let hasTail = clock.deadlines.contains(tail)
      clock.advance(by: tail)
      #expect(try await stop.value == reader.finish().count)
      withExtendedLifetime((player, headset)) {}
      if hasTail { return }
    }
    Issue.record("a Bluetooth source behind the server has no tail")
  }

  /// C-21: a headset that is silent at first has 2.5 s.
  func bluetoothCap() async throws {
    let sink = try await TestSink("slow")
    let headset = try await Headset(behind: sink)
    for _ in 0..<Self.attempts {
      _ = await failure(of: microphone(isPatient: false))
      withExtendedLifetime(headset) {}
      let waited = notices.list.compactMap { notice -> Duration? in
        if case .broughtUp(let report) = notice, report.transport == .bluetooth { report.waited } else { nil }
      }
      if let waited = waited.first {
        #expect(waited >= .milliseconds(2_500))
        return
      }
    }
    Issue.record("a Bluetooth source behind the server was not waited for: \(notices.list)")
  }

  /// No source at all: an error that says so, and the press after one has come works.
  func noSource() async throws {
    try SoundServer.control("quiet")
    // Whatever comes of it: the rig's own sinks are back for the next trial.
    defer { try? SoundServer.control("restart") }
    for module in SoundServer.output("pactl list short modules").split(separator: "\n")
    where module.contains("module-null-sink") {
      try SoundServer.run("pactl unload-module \(module.prefix { $0 != "\t" })")
    }
    // PipeWire's pulse server puts a silent sink in the place of the last one, whose monitor is then the default source.
    await expectFailure(
      microphone(isPatient: false),
      naming: SoundServer.isPipeWire ? ["not a microphone"] : ["There is no microphone", "blurtctl devices"])
    let sink = try await TestSink("plugged")
    try await expectSpeech(from: sink, atLeast: 0.98, through: microphone(), note: "after one was plugged in")
  }

  /// B-95: the server dies while idle and while recording.
  func restart() async throws {
    try await restartWhileRecording()
    // Idle: the press after it works, and again.
    for _ in 0..<2 {
      try SoundServer.control("restart")
      let sink = try await TestSink("again")
      try await expectSpeech(from: sink, atLeast: 0.98, through: microphone(), note: "after a restart")
    }
  }

  private func restartWhileRecording() async throws {
    let sink = try await TestSink("first")
    let microphone = microphone()
    let recording = MemoryRecording()
    let player = try sink.playSpeech()
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 2_000)
    try SoundServer.control("restart")
    withExtendedLifetime(player) {}
    let bytes = try await reader.finish()
    // B-100: everything that was captured is there, in the feed and in the file.
    #expect(bytes.count >= 2_000 * 32)
    #expect(recording.bytes == bytes)
    try await eventually { notices.losses == 1 }
    #expect(try await microphone.stop() == bytes.count)
  }

  /// B-100: the source goes while it is recorded from. PulseAudio ends the stream; PipeWire moves it to another source.
  func sourceGoes() async throws {
    let sink = try await TestSink("unplugged")
    let microphone = microphone()
    let recording = MemoryRecording()
    let player = try sink.playSpeech()
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 1_000)
    let before = recording.bytes
    sink.remove()
    withExtendedLifetime(player) {}
    try await eventually {
      reader.hasEnded || recording.byteCount > before.count + 1_000 * 32
    }
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count && recording.bytes == bytes)
    #expect(bytes.starts(with: before))
    if notices.losses == 0 {
      #expect(bytes.count > before.count)
      // Only a stream of our own is told; ALSA's plug-ins keep it to themselves.
      if PulseRoute.find(pcm) != nil { #expect(notices.moves.map(\.0) == [sink.source]) }
    }
    // The next press finds a microphone: the rig's own, in a room that is never silent.
    try await SoundServer.useSource("rig.monitor")
    let again = FeedReader(try await microphone.start(keepingIn: nil))
    try await again.wait(forMilliseconds: 200)
    try await microphone.cancelCapture()
  }

  /// B-100: somebody moves our stream, as in pavucontrol. What is said into the other source is heard, and its name is told.
  func sourceMoves() async throws {
    let first = try await TestSink("headset")
    let second = try await TestSink("desk")
    try await SoundServer.useSource(first.source)
    let microphone = microphone()
    let recording = MemoryRecording()
    let players = [try first.playSpeech(), try second.playSpeech()]
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 600)
    let before = recording.bytes
    try await eventually {
      // Until the server has it in its list.
      let streams = SoundServer.output("pactl list source-outputs short").split(separator: "\n").map {
        $0.prefix { $0 != "\t" }
      }
      for stream in streams { _ = SoundServer.output("pactl move-source-output \(stream) \(second.source)") }
      return notices.moves.contains { $0 == (first.source, second.source) }
    }
    let moved = recording.byteCount
    try await eventually { recording.byteCount >= moved + 500 * 32 }
    withExtendedLifetime(players) {}
    #expect(notices.losses == 0)
    let count = try await microphone.stop()
    let bytes = try await reader.finish()
    #expect(bytes.count == count && recording.bytes == bytes && bytes.starts(with: before))
  }

  /// C-07: a source of the server that is gone leaves the press to the default one, which is said.
  func chosenSourceGone() async throws {
    let sink = try await TestSink("standard")
    let gone = "pulse:DEVICE=headset_left_at_home"
    let microphone = microphone(gone)
    for _ in 0..<Self.attempts {
      let player = try sink.playSpeech()
      let reader = FeedReader(try await microphone.start(keepingIn: nil))
      try await reader.wait(forMilliseconds: 600)
      #expect(try await microphone.stop() > 0)
      withExtendedLifetime(player) {}
      if notices.list.contains(.chosenDeviceAbsent(gone)) { return }
    }
    Issue.record("nobody was told that the chosen source is gone: \(notices.list)")
  }

  /// C-06: nothing of the server's client stays open between presses.
  func nothingOpen() async throws {
    let sink = try await TestSink("between")
    let microphone = microphone()
    await microphone.warmUp()
    func sockets() -> Int { OpenFiles.links.count { $0.hasPrefix("socket:") } }
    let before = sockets()
    for _ in 0..<3 {
      let player = try sink.playSpeech()
      _ = try await microphone.start(keepingIn: nil)
      #expect(sockets() > before)
      _ = try await microphone.stop()
      withExtendedLifetime(player) {}
      try await eventually { sockets() == before }
      for thread in ["threaded-ml", "pw-data-loop", "pw-alsa", "blurt-mic", "blurt-mic-ask"] {
        try await eventually { OpenFiles.threadCount(named: thread) == 0 }
      }
    }
  }
}

/// A source that the server calls a Bluetooth headset, behind which is a sink's monitor.
private final class Headset: Sendable {
  private let module: String

  /// Adds it, and makes it the default source.
  init(behind sink: TestSink) async throws {
    let name = "bluez_input.\(UInt32.random(in: 0...UInt32.max))"
    module = SoundServer.output(
      "pactl load-module module-remap-source master=\(sink.source) source_name=\(name) "
        + "source_properties=device.bus=bluetooth")
    try await SoundServer.useSource(name)
  }

  deinit { _ = SoundServer.output("pactl unload-module \(module)") }
}
