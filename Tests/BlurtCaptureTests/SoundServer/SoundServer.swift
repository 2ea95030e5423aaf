import BlurtEngine
import BlurtOS
import FoundationEssentials
import Glibc
import Testing

/// A sound server of the tests' own, as `Tests/Rig/with_sound.py` starts it.
enum SoundServer {
  static let name = getenv("BLURT_TEST_SOUND_SERVER").map { String(cString: $0) }
  static let isThere = name != nil
  static let isPipeWire = name == "pipewire"
  static let reason: Comment = "needs `Tests/Rig/with_sound.py [--server pipewire] swift test`"

  /// PipeWire's own ALSA plug-in, which Debian's package of it makes the `default`.
  static let hasOwnPlugin = getenv("BLURT_TEST_PIPEWIRE_PCM") != nil
  static let ownPluginReason: Comment =
    "needs `BLURT_PIPEWIRE_ALSA=$(Tests/Rig/pipewire-alsa.sh DIR) Tests/Rig/with_sound.py --server pipewire swift test`"

  /// Runs a line of shell and wants it to succeed.
  static func run(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try #require(system(line + " >/dev/null 2>&1") == 0, "\(line)", sourceLocation: sourceLocation)
  }

  /// What a line of shell prints, without the newline.
  static func output(_ line: String) -> String {
    guard let pipe = popen("\(line) 2>/dev/null", "r") else { return "" }
    defer { pclose(pipe) }
    let size = 4_096
    var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: size))
    while true {
      let count = fread(&buffer, 1, size, pipe)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    while text.last == UInt8(ascii: "\n") { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Has the rig do something: `restart`, or `quiet` until the next restart.
  static func control(_ word: String) throws {
    let program = try #require(getenv("BLURT_TEST_SOUND_CONTROL").map { String(cString: $0) })
    try run("\(program) \(word)")
  }

  /// Makes a source the default one, and waits until the server, or who manages it, has taken it up.
  static func useSource(_ name: String) async throws {
    try await eventually { system("pactl set-default-source \(name) 2>/dev/null") == 0 }
    try await eventually { output("pactl get-default-source") == name }
  }

  /// The samples of the speech.
  static func spoken() throws -> [Float] {
    let path = try speechPath()
    return try WAVFile(parsing: [UInt8](try #require(FileManager.default.contents(atPath: path)))).samples
  }

  static func speechPath() throws -> String {
    try #require(getenv("BLURT_TEST_SPEECH").map { String(cString: $0) })
  }
}

/// A sink of a test's own, gone with it, and its monitor, which the test makes the microphone.
final class TestSink: Sendable {
  let name: String
  private let module: String

  /// Adds it, and makes its monitor the default source.
  init(_ name: String, rate: Int = 16_000, channels: Int = 1, format: String = "s16le") async throws {
    // One name is never used again: what a server remembers of it would be carried over.
    self.name = "\(name)_\(UInt32.random(in: 0...UInt32.max))"
    module = SoundServer.output(
      "pactl load-module module-null-sink sink_name=\(self.name) rate=\(rate) channels=\(channels) format=\(format) "
        + "norewinds=1 sink_properties=device.description=\(self.name)")
    try #require(!module.isEmpty, "there is no sink \(self.name)")
    try await SoundServer.useSource(source)
  }

  deinit { remove() }

  var source: String { "\(name).monitor" }
  func remove() { _ = SoundServer.output("pactl unload-module \(module)") }
  /// Plays the speech from its beginning, until it ends or the player is let go of.
  func playSpeech() throws -> SpeechPlayer { try SpeechPlayer(into: name) }
}

/// Somebody who speaks beside the test.
final class SpeechPlayer: Sendable {
  private let process: String

  init(into sink: String) throws {
    process = SoundServer.output(
      "paplay --device=\(sink) --latency-msec=200 \(try SoundServer.speechPath()) >/dev/null 2>&1 & echo $!")
  }

  deinit { _ = SoundServer.output("kill \(process)") }
}
