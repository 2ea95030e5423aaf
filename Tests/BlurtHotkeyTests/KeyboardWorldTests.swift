import BlurtHotkey
import Glibc
import Testing

struct KeyboardWorldTests {
  /// 100,000 sequences; a fiftieth of them under the thread sanitizer, which has nothing to find in a value type.
  private static let sequencesPerPart = dlsym(nil, "__tsan_init") == nil ? 25_000 : 500

  private static let steps = 24

  @Test(
    "H-31 H-44 H-45 H-74 H-75 H-81 a recording never outlives its last held key unless latched, and never starts twice",
    .timeLimit(.minutes(4)), arguments: 0..<4)
  func randomSequences(part: Int) async {
    var starts = 0
    var ends: [String: Int] = [:]
    for index in 0..<Self.sequencesPerPart {
      let seed = UInt64(part * Self.sequencesPerPart + index)
      var world = KeyboardWorld(seed: seed)
      world.play(steps: Self.steps)
      if !world.violations.isEmpty {
        var again = KeyboardWorld(seed: seed, keepsHistory: true)
        again.play(steps: Self.steps)
        Issue.record("seed \(seed): \(again.violations.first ?? "")")
        return
      }
      // The other tests want their turn as well.
      if index % 100 == 0 { await Task.yield() }
      starts += world.starts
      ends.merge(world.ends, uniquingKeysWith: +)
    }
    // The world is worth something only if every way to end a gesture was gone often.
    #expect(starts > Self.sequencesPerPart)
    for how in ["stop", "cancel", "keyLost", "discarded"] {
      #expect(ends[how, default: 0] > Self.sequencesPerPart / 50)
    }
  }
}
