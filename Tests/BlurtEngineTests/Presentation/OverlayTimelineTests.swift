import BlurtEngine
import Testing

@Suite struct OverlayTimelineTests {
  @Test("S-83 a notice turns to idle when its dwell has passed")
  func reverts() {
    var timeline = OverlayTimeline()
    let pasted = timeline.show(.pasted)
    #expect(timeline.state == .pasted)
    #expect(timeline.revert(pasted.generation)?.state == .idle)
    #expect(timeline.state == .idle)
  }

  @Test("S-83 a newer state supersedes a pending revert")
  func superseded() {
    var timeline = OverlayTimeline()
    let pasted = timeline.show(.pasted)
    _ = timeline.show(.connecting)
    #expect(timeline.revert(pasted.generation) == nil)
    #expect(timeline.state == .connecting)
  }

  @Test("S-83 the same notice twice is announced twice and timed again")
  func repeated() {
    var timeline = OverlayTimeline()
    let first = timeline.show(.error("Broken."))
    let second = timeline.show(.error("Broken."))
    #expect(first.generation != second.generation)
    #expect(timeline.revert(first.generation) == nil)
    #expect(timeline.state == .error("Broken."))
    #expect(timeline.revert(second.generation)?.state == .idle)
  }

  @Test("S-83 a state without a dwell never reverts by itself")
  func lasting() {
    var timeline = OverlayTimeline()
    let recording = timeline.show(.recording)
    #expect(timeline.revert(recording.generation) == nil)
  }
}
