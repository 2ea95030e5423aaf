import BlurtHotkey
import BlurtTestSupport
import Testing

struct KeyboardWorldTests {
  /// 100,000 sequences; a fiftieth of them under a sanitizer, which has little to find in a value type.
  private static let sequencesPerPart = Sanitizer.isOn ? 500 : 25_000

  /// Each with a pause before it.
  private static let steps = 16

  private static func steps(seed: UInt64) -> [KeyboardStep] {
    var generator = SeededGenerator(seed: seed)
    return KeyboardStep.sequence(steps, using: &generator)
  }

  /// What a seed's sequence does wrong: the seed, the fewest steps that do it, and what was heard of them.
  private static func failure(seed: UInt64, fault: KeyboardWorld.Fault = .none) -> (
    steps: [KeyboardStep], text: String
  )? {
    func violation(_ steps: [KeyboardStep], keepsHistory: Bool = false) -> String? {
      var world = KeyboardWorld(seed: seed, keepsHistory: keepsHistory, fault: fault)
      world.play(steps)
      return world.violation
    }
    let steps = steps(seed: seed)
    guard violation(steps) != nil else { return nil }
    let fewest = KeyboardStep.shrunk(steps) { violation($0) != nil }
    let lines = fewest.map { "  .\($0)," }.joined(separator: "\n")
    return (fewest, "seed \(seed): \(violation(fewest, keepsHistory: true) ?? "")\nby these steps:\n\(lines)")
  }

  @Test(
    "H-31 H-44 H-45 H-74 H-75 H-81 a recording never outlives its last held key unless latched, and never starts twice",
    .timeLimit(.minutes(4)), arguments: 0..<4)
  func randomSequences(part: Int) async {
    var starts = 0
    var ends: [String: Int] = [:]
    for index in 0..<Self.sequencesPerPart {
      let seed = UInt64(part * Self.sequencesPerPart + index)
      var world = KeyboardWorld(seed: seed)
      world.play(Self.steps(seed: seed))
      if world.violation != nil {
        Issue.record("\(Self.failure(seed: seed)?.text ?? "seed \(seed)")")
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

  @Test("the check sees a fault that is put in, and tells it by its seed and the fewest steps")
  func faultsAreSeen() throws {
    for (fault, most) in [(KeyboardWorld.Fault.upsAreSwallowed, 2), (.resetsByItself, 2)] {
      let failure = try #require((0..<200).lazy.compactMap { Self.failure(seed: $0, fault: fault) }.first)
      #expect(failure.steps.count <= most, "\(failure.text)")
      #expect(failure.text.hasPrefix("seed "))
    }
  }

  @Test("the same seed gives the same steps, another seed others")
  func sameSeed() {
    #expect(Self.steps(seed: 7) == Self.steps(seed: 7))
    #expect(Self.steps(seed: 7) != Self.steps(seed: 8))
  }
}
