import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BlurtCapture

/// A sound server of the test's own, as `Tests/Rig/with_sound.py` starts it.
private enum SoundServer {
  static let name = getenv("BLURT_TEST_SOUND_SERVER").map { String(cString: $0) }
  static let restartScript = getenv("BLURT_TEST_SOUND_RESTART").map { String(cString: $0) }
  static let speech = getenv("BLURT_TEST_SPEECH").map { String(cString: $0) }

  /// Runs a line of shell and wants it to succeed.
  static func run(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try #require(system(line + " >/dev/null 2>&1") == 0, "\(line)", sourceLocation: sourceLocation)
  }

  /// A sink whose monitor becomes the default source.
  static func addSink(_ name: String, rate: Int = 16_000, channels: Int = 1, format: String = "s16le") throws {
    try run(
      "pactl load-module module-null-sink sink_name=\(name) rate=\(rate) channels=\(channels) format=\(format) "
        + "norewinds=1 sink_properties=device.description=\(name)")
    try useSource("\(name).monitor")
  }

  static func useSource(_ name: String) throws { try run("pactl set-default-source \(name)") }

  /// Plays the speech from its beginning, beside the test.
  static func playSpeech(into sink: String) throws {
    try run("paplay --device=\(sink) --client-name=blurt-test \(try #require(speech)) &")
  }

  /// The samples of the speech.
  static func spoken() throws -> [Float] {
    let path = try #require(speech)
    return try WAVFile(parsing: [UInt8](try #require(FileManager.default.contents(atPath: path)))).samples
  }
}

@Suite(
  .enabled(if: SoundServer.name != nil, "needs `Tests/Rig/with_sound.py [--server pipewire] swift test`"),
  .serialized, .timeLimit(.minutes(2)))
struct SoundServerTests {
  private final class Notices: Sendable {
    let all = Mutex<[CaptureNotice]>([])
    var losses: Int { all.withLock { $0.count { if case .deviceLost = $0 { true } else { false } } } }
  }

  private let notices = Notices()
  private func microphone() -> MicCapture {
    MicCapture(device: { "" }, onNotice: { [notices] notice in notices.all.withLock { $0.append(notice) } })
  }

  private func message(_ error: (any Error)?) -> String { (error as? BlurtError)?.underlying?.message ?? "" }

  @Test(
    "C-27 speech through the server is the speech that was played: likeness and level",
    arguments: [
      ("mono16", 16_000, 1, "s16le"), ("stereo44", 44_100, 2, "s16le"), ("stereo48", 48_000, 2, "s32le"),
      ("float96", 96_000, 2, "float32le"),
    ])
  func speech(sink: String, rate: Int, channels: Int, format: String) async throws {
    try SoundServer.addSink(sink, rate: rate, channels: channels, format: format)
    try SoundServer.playSpeech(into: sink)
    let microphone = microphone()
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 3_000)
    let count = try await microphone.stop()
    let heard = samples(try await reader.finish()).map(Float.init)
    #expect(heard.count * 2 == count)
    let found = place(of: try SoundServer.spoken(), in: heard)
    print("\(SoundServer.name ?? "") \(sink): correlation \(found.correlation), level \(found.levelDB) dB")
    #expect(found.correlation >= 0.99)
    #expect(abs(found.levelDB) <= 0.5)
  }

  @Test("B-99 C-06 the default source of the moment is used at each press")
  func defaultChanges() async throws {
    let spoken = try SoundServer.spoken()
    try SoundServer.addSink("talking")
    try SoundServer.addSink("silent")
    // The talking one is chosen between the two presses; the silent one is dead.
    let microphone = microphone()
    let error = await #expect(throws: BlurtError.self) { _ = try await microphone.start(keepingIn: nil) }
    #expect(message(error).contains("not a microphone"))
    #expect(message(error).contains("silent"))
    try SoundServer.useSource("talking.monitor")
    try SoundServer.playSpeech(into: "talking")
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 2_000)
    _ = try await microphone.stop()
    #expect(place(of: spoken, in: samples(try await reader.finish()).map(Float.init)).correlation >= 0.98)
  }

  @Test("C-25 a source that is muted in the server is named, with the way to unmute it")
  func muted() async throws {
    try SoundServer.addSink("muted")
    try SoundServer.run("pactl set-source-mute muted.monitor 1")
    try SoundServer.playSpeech(into: "muted")
    let microphone = microphone()
    let error = await #expect(throws: BlurtError.self) { _ = try await microphone.start(keepingIn: nil) }
    #expect(message(error).contains("muted in the sound server"))
    #expect(message(error).contains("set-source-mute muted.monitor 0"))
  }

  @Test("C-21 C-29 a Bluetooth source behind the server is one: 2.5 s to come up, and a tail")
  func bluetooth() async throws {
    try SoundServer.addSink("radio")
    try SoundServer.run(
      "pactl load-module module-remap-source master=radio.monitor source_name=bluez_input.00_11_22 "
        + "source_properties=device.bus=bluetooth")
    try SoundServer.useSource("bluez_input.00_11_22")
    try SoundServer.playSpeech(into: "radio")
    let clock = TestClock()
    let microphone = MicCapture(device: { "" }, clock: clock)
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    // The answer comes beside the sound, within milliseconds.
    try await reader.wait(forMilliseconds: 400)
    let stop = Task { try await microphone.stop() }
    try await eventually { clock.deadlines.contains(AudioTransport.bluetooth.tail) }
    clock.advance(by: AudioTransport.bluetooth.tail)
    #expect(try await stop.value == reader.finish().count)
  }

  @Test("C-21 a Bluetooth source that is silent at first is waited for beyond a second")
  func slowBluetooth() async throws {
    try SoundServer.addSink("slow")
    try SoundServer.run(
      "pactl load-module module-remap-source master=slow.monitor source_name=bluez_input.33_44_55 "
        + "source_properties=device.bus=bluetooth")
    try SoundServer.useSource("bluez_input.33_44_55")
    let began = MonotonicClock.now()
    let microphone = microphone()
    _ = await #expect(throws: BlurtError.self) { _ = try await microphone.start(keepingIn: nil) }
    #expect(MonotonicClock.now() - began >= .milliseconds(2_500))
  }

  @Test(
    "B-95 B-100 a server that restarts while recording and while idle: what was captured is kept, and the next press works",
    .enabled(if: SoundServer.restartScript != nil, "needs a server that the rig can restart"))
  func restart() async throws {
    let script = try #require(SoundServer.restartScript)
    try SoundServer.addSink("first")
    try SoundServer.playSpeech(into: "first")
    let microphone = microphone()
    let recording = MemoryRecording()
    let reader = FeedReader(try await microphone.start(keepingIn: recording))
    try await reader.wait(forMilliseconds: 500)
    try SoundServer.run(script)
    let bytes = try await reader.finish()
    #expect(bytes.count >= 500 * 32)
    #expect(recording.bytes == bytes)
    try await eventually { notices.losses == 1 }
    #expect(try await microphone.stop() == bytes.count)
    for _ in 0..<2 {
      // Idle now: restarted between two presses.
      try SoundServer.run(script)
      try SoundServer.addSink("again")
      try SoundServer.playSpeech(into: "again")
      let reader = FeedReader(try await microphone.start(keepingIn: nil))
      try await reader.wait(forMilliseconds: 200)
      #expect(try await microphone.stop() > 0)
    }
  }

  @Test("C-06 nothing of the server's client stays open between presses")
  func nothingOpen() async throws {
    try SoundServer.addSink("between")
    try SoundServer.playSpeech(into: "between")
    let microphone = microphone()
    await microphone.warmUp()
    let before = OpenFiles.links.count { $0.hasPrefix("socket:") }
    for _ in 0..<3 {
      _ = try await microphone.start(keepingIn: nil)
      #expect(OpenFiles.links.count { $0.hasPrefix("socket:") } > before)
      _ = try await microphone.stop()
      try await eventually { OpenFiles.links.count { $0.hasPrefix("socket:") } == before }
      try await eventually { OpenFiles.threadCount(named: "threaded-ml") == 0 }
      try await eventually { OpenFiles.threadCount(named: "blurt-mic-ask") == 0 }
    }
  }

  /// How alike the source and what was heard are, from where its beginning lies in it. A server with a clock of its own
  /// moves sound by parts of a sample, so the place is looked for in eighths.
  private func place(of source: [Float], in heard: [Float]) -> (correlation: Double, levelDB: Double) {
    let parts = 8
    var resampler = Resampler(from: 16_000, to: 16_000 * parts)
    var fine: [Float] = []
    source.withUnsafeBufferPointer { resampler.convert($0, into: &fine) }
    resampler.finish(into: &fine)
    // From where the voice has begun.
    let skipped = 4_800
    func likeness(_ start: Int, _ part: Int, _ count: Int) -> (Double, Double) {
      guard start >= 0, start + count <= heard.count, (skipped + count) * parts + part < fine.count else {
        return (-1, 0)
      }
      var (product, power, other) = (0.0, 1e-9, 1e-9)
      heard.withUnsafeBufferPointer { heard in
        fine.withUnsafeBufferPointer { fine in
          for index in 0..<count {
            let (a, b) = (Double(heard[start + index]), Double(fine[(skipped + index) * parts + part]) * 32_768)
            product += a * b
            power += a * a
            other += b * b
          }
        }
      }
      return (product / (power * other).squareRoot(), 10 * log10(power / other))
    }
    let starts = stride(from: 0, to: heard.count - 2_000, by: 2).map { ($0, likeness($0, 0, 1_600).0) }
    let coarse = starts.max { $0.1 < $1.1 }?.0 ?? 0
    let count = min(16_000, heard.count - coarse - 4)
    var best = (-1.0, 0.0)
    for start in coarse - 4...coarse + 4 {
      for part in 0..<parts {
        let found = likeness(start, part, count)
        if found.0 > best.0 { best = found }
      }
    }
    return (best.0, best.1)
  }
}
