import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct OverlayPlacementTests {
  private let screen = OverlayPlacement.Rectangle(origin: .init(x: 0, y: 0), size: .init(width: 1_920, height: 1_080))
  private let placement = OverlayPlacement(pill: .init(width: 200, height: 40), shadowMargin: 20)

  @Test("S-92 the panel is the pill and its shadow; undragged it stands in the middle, the pill 80 over the edge")
  func resting() {
    #expect(placement.panel == .init(width: 240, height: 80))
    let frame = placement.frame(on: screen)
    #expect(frame.origin == .init(x: 840, y: 940))
    #expect(screen.maxY - (frame.maxY - placement.shadowMargin) == 80)
    #expect(OverlayPlacement.bottomClearance == 80)
  }

  @Test("S-92 a saved origin is kept where it fits and clamped where it does not")
  func saved() {
    func origin(_ x: Double, _ y: Double) -> OverlayPlacement.Point {
      placement.frame(on: screen, saved: .init(x: x, y: y)).origin
    }
    #expect(origin(0, 0) == .init(x: 0, y: 0))
    #expect(origin(12.5, 7) == .init(x: 12.5, y: 7))
    #expect(origin(-50, 5_000) == .init(x: 0, y: 1_000))
    #expect(origin(1_800, -1) == .init(x: 1_680, y: 0))
    #expect(origin(.nan, 3) == placement.frame(on: screen).origin)
    #expect(origin(3, .infinity) == placement.frame(on: screen).origin)
  }

  @Test("S-92 on a screen that is too small the far edges win")
  func tooSmall() {
    let small = OverlayPlacement.Rectangle(origin: .init(x: 100, y: 50), size: .init(width: 90, height: 30))
    for saved in [nil, OverlayPlacement.Point(x: 0, y: 0), OverlayPlacement.Point(x: 500, y: 500)] {
      let frame = placement.frame(on: small, saved: saved)
      #expect(frame.maxX == small.maxX && frame.maxY == small.maxY)
    }
  }

  @Test("Y-20 S-92 on any screen, for any size and any saved place, the panel is on it unless it is larger")
  func property() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5_000 {
      func number(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &random)) }
      let screen = OverlayPlacement.Rectangle(
        origin: .init(x: number(-8_000...8_000), y: number(-8_000...8_000)),
        size: .init(width: number(1...8_000), height: number(1...5_000)))
      let placement = OverlayPlacement(
        pill: .init(width: number(0...900), height: number(0...300)), shadowMargin: number(0...120))
      let saved =
        Bool.random(using: &random)
        ? OverlayPlacement.Point(x: number(-20_000...20_000), y: number(-20_000...20_000)) : nil
      let frame = placement.frame(on: screen, saved: saved)
      #expect(frame.size == placement.panel)
      if frame.size.width <= screen.size.width {
        #expect(frame.origin.x >= screen.origin.x && frame.maxX <= screen.maxX)
      } else {
        #expect(frame.maxX == screen.maxX)
      }
      if frame.size.height <= screen.size.height {
        #expect(frame.origin.y >= screen.origin.y && frame.maxY <= screen.maxY)
      } else {
        #expect(frame.maxY == screen.maxY)
      }
    }
  }

  @Test("P-19 S-92 a half-saved origin counts as never moved")
  func halfSaved() {
    let backing = MemorySettings(["BlurtOverlayCustomOriginX": .number(5)])
    let saved = OverlayOriginStore(backing: backing).origin
    #expect(placement.frame(on: screen, saved: saved) == placement.frame(on: screen))
  }
}
