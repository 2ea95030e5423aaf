import BlurtContract
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("ListeningWindow") struct ListeningWindowTests {
  private typealias Window = ListeningWindow

  /// A window in that state, of generation 2.
  private static func window(_ state: ListeningState) -> Window {
    var window = Window()
    _ = window.take(.openRequested(refusal: nil))
    _ = window.take(.resourcesUp(generation: 1))
    _ = window.take(.turnedOff)
    _ = window.take(.tornDown(generation: 1))
    if state == .closed { return window }
    _ = window.take(.openRequested(refusal: nil))
    if state == .opening { return window }
    _ = window.take(.resourcesUp(generation: 2))
    if state == .interrupted { _ = window.take(.interruptionBegan(.suspended)) }
    if state == .closing { _ = window.take(.turnedOff) }
    return window
  }

  /// Every event, those with a generation as of now and of before.
  private static let events: [Window.Event] = [
    .openRequested(refusal: nil), .openRequested(refusal: .seatInactive), .resourcesUp(generation: 2),
    .resourcesUp(generation: 1), .openingFailed(generation: 2, .noDevice), .openingFailed(generation: 1, .noDevice),
    .interruptionBegan(.seatInactive), .interruptionEnded(generation: 2), .interruptionEnded(generation: 1),
    .recordingEnded, .lifetimeElapsed(generation: 2), .lifetimeElapsed(generation: 1), .turnedOff,
    .tornDown(generation: 2), .tornDown(generation: 1), .stopped,
  ]

  private struct Step {
    let to: ListeningState
    let reason: FailureReason?
    var action: Window.Action?
    var generation: UInt64 = 2
  }

  /// The cells in which something happens; in all others nothing does. S-136 has a test of its own.
  private static func step(_ state: ListeningState, _ event: Window.Event) -> Step? {
    let closing = Step(
      to: .closing, reason: .windowClosed, action: .tearDown(generation: 2, cancelsDictation: event == .turnedOff))
    return switch (state, event) {
    case (_, .stopped): Step(to: .closed, reason: .stopping)
    // S-137
    case (.closed, .openRequested(let refusal?)): Step(to: .closed, reason: refusal)
    // S-138
    case (.opening, .resourcesUp(2)): Step(to: .open, reason: nil, action: .restartLifetime)
    // S-139
    case (.opening, .openingFailed(2, let reason)): Step(to: .closed, reason: reason)
    // S-140
    case (.open, .interruptionBegan(let reason)): Step(to: .interrupted, reason: reason, action: .pause)
    case (.interrupted, .interruptionBegan(let reason)): Step(to: .interrupted, reason: reason)
    // S-141
    case (.interrupted, .interruptionEnded(2)): Step(to: .open, reason: nil)
    // S-142
    case (.open, .lifetimeElapsed(2)), (.interrupted, .lifetimeElapsed(2)), (.open, .turnedOff),
      (.interrupted, .turnedOff), (.opening, .turnedOff):
      closing
    // S-143
    case (.closing, .tornDown(2)): Step(to: .closed, reason: .windowClosed)
    // S-145
    case (.open, .recordingEnded): Step(to: .open, reason: nil, action: .restartLifetime)
    case (.interrupted, .recordingEnded): Step(to: .interrupted, reason: .suspended, action: .restartLifetime)
    default: nil
    }
  }

  @Test(
    "Y-130 S-136 S-137 S-138 S-139 S-140 S-141 S-142 S-143 S-144 S-145 every cell of the table is as it is written",
    arguments: ListeningState.allCases)
  func table(_ state: ListeningState) {
    let before = Self.window(state)
    #expect(before.state == state)
    #expect(before.generation == (state == .closed ? 1 : 2))
    for event in Self.events {
      var window = before
      // S-136: the only step with a new generation.
      if state == .closed, case .openRequested(nil) = event {
        #expect(window.take(event) == .bringUp(generation: 2))
        #expect(window.state == .opening && window.generation == 2 && window.reason == .starting)
        continue
      }
      let action = window.take(event)
      if let step = Self.step(state, event) {
        #expect(action == step.action, "\(state) \(event)")
        #expect(window.state == step.to, "\(state) \(event)")
        #expect(window.reason == step.reason, "\(state) \(event)")
        #expect(window.generation == before.generation, "\(state) \(event)")
      } else {
        #expect(action == nil, "\(state) \(event)")
        #expect(window.event == before.event, "\(state) \(event)")
      }
    }
  }

  @Test("S-136 a window begins closed, and says that it is starting")
  func initial() {
    let window = Window()
    #expect(window.event.state == .closed && window.event.reason == .starting && window.event.generation == 0)
    #expect(window.event.message?.isEmpty == false)
  }

  @Test("S-140 an interruption that begins during the opening is met at its end, unless it is over by then")
  func interruptedOpening() {
    var window = Self.window(.opening)
    #expect(window.take(.interruptionBegan(.suspended)) == nil)
    #expect(window.state == .opening)
    var over = window
    #expect(window.take(.resourcesUp(generation: 2)) == .restartLifetime)
    #expect(window.state == .interrupted && window.reason == .suspended)
    _ = over.take(.interruptionEnded(generation: 2))
    _ = over.take(.resourcesUp(generation: 2))
    #expect(over.state == .open)
    // It does not outlive its opening.
    var failed = Self.window(.opening)
    _ = failed.take(.interruptionBegan(.suspended))
    _ = failed.take(.openingFailed(generation: 2, .fault))
    _ = failed.take(.openRequested(refusal: nil))
    _ = failed.take(.resourcesUp(generation: 3))
    #expect(failed.state == .open)
  }

  @Test(
    "Y-130 S-144 whatever happens, what is stale changes nothing, open is reached through opening only, and generations grow",
    arguments: UInt64(1)...200)
  func property(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var window = Window()
    var opened: Set<UInt64> = []
    for _ in 0..<200 {
      let generation = UInt64.random(in: 0...(window.generation + 1), using: &random)
      let events: [Window.Event] = [
        .openRequested(refusal: nil), .openRequested(refusal: .seatInactive), .resourcesUp(generation: generation),
        .openingFailed(generation: generation, .fault), .interruptionBegan(.suspended),
        .interruptionEnded(generation: generation), .recordingEnded, .lifetimeElapsed(generation: generation),
        .turnedOff, .tornDown(generation: generation), .stopped,
      ]
      let event = events[Int.random(in: 0..<events.count, using: &random)]
      let before = window
      let action = window.take(event)
      switch event {
      case .resourcesUp(let generation), .openingFailed(let generation, _), .interruptionEnded(let generation),
        .lifetimeElapsed(let generation), .tornDown(let generation):
        if generation != before.generation { #expect(window == before && action == nil) }
      case .openRequested, .interruptionBegan, .recordingEnded, .turnedOff, .stopped: break
      }
      if window.state == .opening, before.state != .opening {
        #expect(window.generation == before.generation + 1)
        #expect(opened.insert(window.generation).inserted)
      } else {
        #expect(window.generation == before.generation)
      }
      if window.state == .open, before.state != .open {
        #expect(before.state == .opening || before.state == .interrupted)
        #expect(opened.contains(window.generation))
      }
      if window.state == .interrupted { #expect(opened.contains(window.generation)) }
      #expect((window.reason == nil) == (window.state == .open))
    }
  }
}
