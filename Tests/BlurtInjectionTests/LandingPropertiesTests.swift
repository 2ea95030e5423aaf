import CX11
import Testing

@testable import BlurtInjection

@Suite("LandingProperties")
struct LandingPropertiesTests {
  @Test("a property whose answer never came is not lent again before it comes")
  func late() {
    let landing = LandingProperties([1, 2])
    let first = landing.take()
    let second = landing.take()
    #expect(Set([first, second]) == [1, 2])
    #expect(landing.take() == nil)
    landing.giveBack(1, isAnswered: false)
    landing.giveBack(2, isAnswered: true)
    #expect(landing.take() == 2)
    landing.giveBack(2, isAnswered: true)
    landing.answeredLate(1)
    #expect(Set([landing.take(), landing.take()]) == [1, 2])
  }

  @Test("owners that never answer do not use them up: the one that has waited longest is lent again")
  func exhausted() {
    let landing = LandingProperties([1, 2])
    for property in [landing.take(), landing.take()] {
      landing.giveBack(property ?? 0, isAnswered: false)
    }
    #expect(Set([landing.take(), landing.take()]) == [1, 2])
  }

  @Test("an answer that nobody waits for changes nothing")
  func unknown() {
    let landing = LandingProperties([1])
    landing.answeredLate(7)
    #expect(landing.take() == 1)
    #expect(landing.take() == nil)
  }
}
