import Testing

/// PipeWire's own ALSA plug-in, which is the `default` where Debian's pipewire-alsa is installed.
@Suite(.enabled(if: SoundServer.hasOwnPlugin, SoundServer.ownPluginReason), .serialized, .timeLimit(.minutes(5)))
struct PipeWirePluginTests {
  private let trial = SoundServerTrial(pcm: "pipewire")

  @Test(
    "C-27 speech through PipeWire's plug-in is the speech that was played: likeness and level",
    arguments: [("mono16", 16_000, 1, "s16le"), ("stereo48", 48_000, 2, "float32le")])
  func speech(sink: String, rate: Int, channels: Int, format: String) async throws {
    try await trial.speech(sink, rate: rate, channels: channels, format: format)
  }

  @Test("B-94 C-28 a capture thread that stood still for 1.5 s loses nothing: the plug-in's buffer keeps it")
  func heldUp() async throws { try await trial.heldUp() }

  @Test("B-99 C-06 PipeWire's default source of the moment is used at each press; a silent monitor is said to be none")
  func defaultChanges() async throws { try await trial.defaultChanges() }

  @Test("C-25 a source that is muted in PipeWire is named, with the way to unmute it")
  func muted() async throws { try await trial.muted() }

  @Test("C-21 C-29 a Bluetooth source behind PipeWire's plug-in is one: it has a tail")
  func bluetoothTail() async throws { try await trial.bluetoothTail() }

  @Test("C-19 with no source at all a press says so, and works once there is one")
  func noSource() async throws { try await trial.noSource() }

  @Test("B-95 B-100 PipeWire restarts while recording and while idle: what was captured is kept, the next press works")
  func restart() async throws { try await trial.restart() }

  @Test("B-100 C-28 a source of PipeWire that goes while it records: what was captured is kept")
  func sourceGoes() async throws { try await trial.sourceGoes() }

  @Test("C-06 nothing of PipeWire's client stays open between presses")
  func nothingOpen() async throws { try await trial.nothingOpen() }
}
