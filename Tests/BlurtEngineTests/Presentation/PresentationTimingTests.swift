import BlurtEngine
import Testing

@Suite struct PresentationTimingTests {
  @Test("S-88 P-53 fades, the volume of cues and the gap of a preview")
  func numbers() {
    #expect(PresentationTiming.fadeIn == .seconds(0.08))
    #expect(PresentationTiming.fadeOut == .seconds(0.2))
    #expect(PresentationTiming.cueVolume == 0.35)
    #expect(PresentationTiming.previewGap == .milliseconds(380))
  }

  @Test("S-88 the overlay is visible before the start sound")
  func order() {
    #expect(PresentationStep.steps(for: .start) == [.showOverlay, .play(.start)])
    #expect(PresentationStep.steps(for: .stop) == [.play(.stop)])
  }
}
