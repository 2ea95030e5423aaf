import Testing

/// What every machine with a sound server has; `pulse` by its name takes the same way (`PulseStreamTests`).
@Suite(.enabled(if: SoundServer.isThere, SoundServer.reason), .serialized, .timeLimit(.minutes(5)))
struct SoundServerTests {
  private static let pcms = ["default"]

  @Test(
    "C-27 speech through the server is the speech that was played: likeness and level",
    arguments: [
      ("mono16", 16_000, 1, "s16le"), ("stereo44", 44_100, 2, "s16le"), ("float96", 96_000, 2, "float32le"),
    ])
  func speech(sink: String, rate: Int, channels: Int, format: String) async throws {
    try await SoundServerTrial(pcm: "default").speech(sink, rate: rate, channels: channels, format: format)
  }

  @Test("C-27 the same through the plug-in by its name")
  func speechByName() async throws {
    try await SoundServerTrial(pcm: "pulse").speech("stereo48", rate: 48_000, channels: 2, format: "s16le")
  }

  @Test("B-94 C-28 a capture thread that stood still for 1.5 s loses nothing: the server keeps it", arguments: pcms)
  func heldUp(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).heldUp() }

  @Test(
    "B-99 C-06 the default source of the moment is used at each press, and a silent monitor is said to be none",
    arguments: pcms)
  func defaultChanges(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).defaultChanges() }

  @Test("C-25 a source that is muted in the server is named, with the way to unmute it", arguments: pcms)
  func muted(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).muted() }

  @Test("C-21 C-29 a Bluetooth source behind the server is one: it has a tail")
  func bluetoothTail() async throws { try await SoundServerTrial(pcm: "default").bluetoothTail() }

  @Test("C-21 a Bluetooth source that is silent at first is waited for beyond a second")
  func bluetoothCap() async throws { try await SoundServerTrial(pcm: "default").bluetoothCap() }

  @Test("C-19 with no source at all a press says so, and works once there is one", arguments: pcms)
  func noSource(pcm: String) async throws {
    try await SoundServerTrial(pcm: pcm).noSource()
  }

  @Test(
    "B-95 B-100 a server that restarts while recording and while idle: what was captured is kept, and the next press works",
    arguments: pcms)
  func restart(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).restart() }

  @Test("B-100 C-28 a source that goes while it records: what was captured is kept", arguments: pcms)
  func sourceGoes(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).sourceGoes() }

  @Test("B-100 a recording that the server moves to another source goes on, and that is said", arguments: pcms)
  func sourceMoves(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).sourceMoves() }

  @Test("C-07 a chosen source of the server that is gone leaves the press to the default one, and that is said")
  func chosenSourceGone() async throws { try await SoundServerTrial(pcm: "default").chosenSourceGone() }

  @Test("C-06 nothing of the server's client stays open between presses", arguments: pcms)
  func nothingOpen(pcm: String) async throws { try await SoundServerTrial(pcm: pcm).nothingOpen() }
}
