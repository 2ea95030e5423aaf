import BlurtEngine
import BlurtOffline
import FoundationEssentials
import Glibc
import Testing

@Suite("OfflineAudio")
struct OfflineAudioTests {
  private func error(_ path: String) -> UnderlyingError? {
    do {
      _ = try OfflineAudio.samples(of: path)
      return nil
    } catch {
      return error
    }
  }

  @Test("raw bytes are 16-bit little-endian samples; a last odd byte is dropped")
  func raw() throws {
    let engine = try FakeEngine()
    try Data([0x00, 0x40, 0x00, 0x80, 0x12]).write(to: URL(filePath: engine.path("a.raw")))
    #expect(try OfflineAudio.samples(of: engine.path("a.raw")) == [0.5, -1])
  }

  @Test("what is no recording is refused with a sentence, and a pipe does not hang")
  func refused() throws {
    let engine = try FakeEngine()
    try engine.write("OggS and more", to: "song.ogg")
    try engine.write("no header", to: "fake.wav")
    #expect(mkfifo(engine.path("pipe"), 0o600) == 0)
    for name in ["song.ogg", "fake.wav"] {
      #expect(error(engine.path(name))?.message.contains("It is not a WAV file.") == true)
    }
    #expect(error(engine.path("absent.raw"))?.message.contains("No such file") == true)
    #expect(error(engine.path("pipe"))?.message.contains("is not a file") == true)
    #expect(error(engine.folder) == OfflineFault.unreadableAudio.error(""))
  }
}
