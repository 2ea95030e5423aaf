import BlurtHotkey
import Glibc
import Testing

struct KeyboardWorldTests {
  /// 100,000 sequences; a fiftieth of them under the thread sanitizer, which has nothing to find in a value type.
  private static let sequencesPerPart = dlsym(nil, "__tsan_init") == nil ? 25_000 : 500

  @Test(
    "H-31 H-44 H-45 H-74 H-75 H-81 a recording never outlives its last held key unless latched, and never starts twice",
    .timeLimit(.minutes(4)), arguments: 0..<4)
  func randomSequences(part: Int) {
    var starts = 0
    var ends: [String: Int] = [:]
    for index in 0..<Self.sequencesPerPart {
      var world = KeyboardWorld(seed: UInt64(part * Self.sequencesPerPart + index))
      world.play(steps: 24)
      if let violation = world.violations.first {
        Issue.record("seed \(part * Self.sequencesPerPart + index): \(violation)")
        return
      }
      starts += world.starts
      ends.merge(world.ends, uniquingKeysWith: +)
    }
    // The world is worth something only if every way to end a gesture was gone often.
    #expect(starts > Self.sequencesPerPart)
    for how in ["stop", "cancel", "keyLost", "discarded"] { #expect(ends[how, default: 0] > Self.sequencesPerPart / 50) }
  }
}
