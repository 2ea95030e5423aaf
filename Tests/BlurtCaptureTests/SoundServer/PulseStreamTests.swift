import BlurtEngine
import BlurtOS
import BlurtTestSupport
import Synchronization
import Testing

@testable import BlurtCapture

/// The stream of our own, where ALSA's configuration only hands a name on to a server, and ALSA's plug-in where it does more.
@Suite(.enabled(if: SoundServer.isThere, SoundServer.reason), .serialized, .timeLimit(.minutes(5)))
struct PulseStreamTests {
  @Test("C-21 C-29 behind a layer of ALSA a Bluetooth source is one as well: the server is asked beside the recording")
  func bluetoothBehindALSA() async throws {
    #expect(PulseRoute.find("plug:pulse") == nil)
    try await SoundServerTrial(pcm: "plug:pulse").bluetoothTail()
  }

  @Test("the server is spoken to on the capture thread alone, which hands on about once in 40 ms, whatever comes when")
  func fewWakeups() async throws {
    let sink = try await TestSink("calm")
    let player = try sink.playSpeech()
    var limits = CaptureLimits()
    limits.livenessCap = { _ in .seconds(30) }
    let microphone = MicCapture(device: { "pulse" }, limits: limits)
    let appends = Atomic<Int>(0)
    let recording = MemoryRecording { _ in appends.add(1, ordering: .relaxed) }
    _ = try await microphone.start(keepingIn: recording)
    try await eventually { recording.byteCount >= 3_000 * 32 }
    #expect(OpenFiles.threadCount(named: "threaded-ml") == 0)
    #expect(OpenFiles.threadCount(named: "blurt-mic-ask") == 0)
    let count = try await microphone.stop()
    withExtendedLifetime(player) {}
    // The first 0.1 s comes in the server's own pieces until the microphone is live, then by the clock. A server may
    // hand on a second of silence at once, but never a piece twice.
    #expect(appends.load(ordering: .relaxed) <= count / 1_280 + 25)
  }

  @Test("a name that ALSA's configuration hands on to a server leads to that server's source, and no other name does")
  func routes() throws {
    #expect(PulseRoute.find("pulse") == PulseRoute())
    #expect(PulseRoute.find("null") == nil)
    #expect(PulseRoute.find("hw:0") == nil)
    #expect(PulseRoute.find("no_such_pcm") == nil)
  }
}
