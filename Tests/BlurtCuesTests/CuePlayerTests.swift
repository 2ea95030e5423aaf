import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtCues

/// Played into ALSA's own `file` PCM, which needs no sound card: what would be heard is then in a file.
@Suite(
  .enabled(if: access("/usr/share/alsa/alsa.conf", R_OK) == 0, "needs ALSA's configuration (libasound2-data)"),
  .timeLimit(.minutes(1)))
struct CuePlayerTests {
  private static let chime = CueCatalogue.voices[0]

  /// A folder with a PCM that writes to a file in it.
  private struct Bed: ~Copyable {
    let folder = SocketFolder()
    var file: String { folder.file("played") }
    var device: String { "file:FILE=\(file),FORMAT=raw" }
    var played: [Int16] {
      let bytes = FileManager.default.contents(atPath: file).map { [UInt8]($0) } ?? []
      return stride(from: 0, to: bytes.count - 1, by: 2).map {
        Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
      }
    }
  }

  /// What becomes of cues, in the order in which it is told.
  private final class Outcomes: Sendable {
    let list = Box<[CuePlayer.Outcome]>([])
    var note: @Sendable (CuePlayer.Outcome) -> Void { { [list] in list.append($0) } }
    func wait(for count: Int) async throws {
      try #require(await eventually { list.value.count >= count }, "\(list.value)")
    }
  }

  private static func isOpen(_ file: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file
    }
  }

  @Test("Y-27 S-88 a cue is played at 0.35, sample by sample, and the output is closed after it")
  func plays() async throws {
    let bed = Bed()
    let outcomes = Outcomes()
    let player = CuePlayer(device: bed.device)
    player.play(Self.chime.start, done: outcomes.note)
    try await outcomes.wait(for: 1)
    #expect(outcomes.list.value == [.played])
    #expect(bed.played == Self.chime.start.samples(volume: 0.35))
    #expect(!Self.isOpen(bed.file))
  }

  @Test("S-88 a preview has both sounds with 380 ms between them")
  func preview() async throws {
    let bed = Bed()
    let outcomes = Outcomes()
    CuePlayer(device: bed.device).preview([Self.chime.start, Self.chime.stop], done: outcomes.note)
    try await outcomes.wait(for: 1)
    let silence = [Int16](repeating: 0, count: 48_000 * 380 / 1_000)
    let expected = Self.chime.start.samples(volume: 0.35) + silence + Self.chime.stop.samples(volume: 0.35)
    #expect(bed.played == expected)
  }

  @Test("P-53 an output that is missing is silence with a reason")
  func missing() async throws {
    let outcomes = Outcomes()
    let player = CuePlayer(device: "no_such_pcm")
    player.play(Self.chime.start, done: outcomes.note)
    try await outcomes.wait(for: 1)
    guard case .failed(let error)? = outcomes.list.value.first else {
      Issue.record("\(outcomes.list.value)")
      return
    }
    #expect(error.call == "snd_pcm_open" && error.pcm == "no_such_pcm" && error.code == -ENOENT)
    #expect("\(error)".contains("no_such_pcm"))
    let failure = try await Blocking.run(name: "probe") { player.failureToOpen() }
    #expect(failure?.code == -ENOENT)
  }

  /// A test bed of umockdev has one lock for all calls of `open`, and the one that hangs here would keep it.
  private static let opensAreIndependent =
    getenv("LD_PRELOAD").map { !String(cString: $0).contains("umockdev") } ?? true

  @Test(
    "P-53 an output that hangs delays nobody; what comes late is left out, and afterwards cues are heard again",
    .enabled(if: opensAreIndependent, "umockdev has one lock for every open file"))
  func hangs() async throws {
    let bed = Bed()
    // To open a pipe for writing waits until somebody reads it.
    mkfifo(bed.file, 0o600)
    let outcomes = Outcomes()
    let player = CuePlayer(device: bed.device)
    let asked = MonotonicClock.now()
    for _ in 1...50 { player.play(Self.chime.start, done: outcomes.note) }
    // Fifty waits for the output would be endless; none is waited for.
    #expect(MonotonicClock.now() - asked < .seconds(5))
    // All but the one that is in it and the one behind it are told already.
    try await outcomes.wait(for: 48)
    #expect(outcomes.list.value.allSatisfy { $0 == .superseded })
    // Let the freshness pass by its own clock.
    let late = asked + CuePlayer.freshness + .milliseconds(50)
    #expect(await eventually { MonotonicClock.now() > late })
    let reader = open(bed.file, O_RDONLY | O_NONBLOCK)
    #expect(reader >= 0)
    defer { close(reader) }
    try await outcomes.wait(for: 50)
    #expect(outcomes.list.value.suffix(2).allSatisfy { $0 == .late || $0 == .superseded }, "\(outcomes.list.value)")
    player.play(Self.chime.stop, done: outcomes.note)
    try await outcomes.wait(for: 51)
    #expect(outcomes.list.value.last == .played)
  }

  @Test("S-86 a newer cue takes the place of one that sounds, and after a stop there is none")
  func newer() async throws {
    let bed = Bed()
    let outcomes = Outcomes()
    let player = CuePlayer(device: bed.device)
    // Three seconds, so that it still sounds.
    let long = CueSound(
      notes: [.init(440, for: .seconds(3))], peakDBFS: -6, attack: .milliseconds(4), decay: .seconds(1))
    player.preview([long], done: outcomes.note)
    try #require(await eventually { Self.isOpen(bed.file) })
    player.play(Self.chime.stop, done: outcomes.note)
    try await outcomes.wait(for: 2)
    // On a slow machine the output may be free again only when it is too late to say "now".
    #expect(outcomes.list.value.first == .superseded)
    #expect(outcomes.list.value.last == .played || outcomes.list.value.last == .late)
    player.stop()
    player.play(Self.chime.start, done: outcomes.note)
    try await outcomes.wait(for: 3)
    #expect(outcomes.list.value.last == .superseded)
  }
}
