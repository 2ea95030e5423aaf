import BlurtEngine
import FoundationEssentials
import Testing

@Suite struct RecentDictationsTests {
  private func ring(_ count: Int) -> RecentDictations {
    var ring = RecentDictations()
    for index in 0..<count {
      ring.record(
        shownText: "shown \(index)", spokenText: "spoken \(index)", style: index == 0 ? nil : "Mail",
        at: Date(timeIntervalSince1970: Double(index)))
    }
    return ring
  }

  @Test("S-93 newest first, a hundred kept, the oldest dropped, three displayed, none at the start")
  func capacity() {
    #expect(RecentDictations().entries.isEmpty)
    #expect(RecentDictations.capacity == 100)
    #expect(RecentDictations.displayedCount == 3)
    let ring = ring(103)
    #expect(ring.entries.count == 100)
    #expect(ring.entries.first?.shownText == "shown 102")
    #expect(ring.entries.last?.shownText == "shown 3")
    #expect(ring.displayed.map(\.shownText) == ["shown 102", "shown 101", "shown 100"])
  }

  @Test("S-94 entries have unique ids that stay, the injected time, and a style only where there was one")
  func entries() {
    var ring = ring(3)
    let before = ring.entries.map(\.id)
    ring.record(shownText: "", spokenText: "", style: nil, at: Date(timeIntervalSince1970: 9))
    #expect(Set(ring.entries.map(\.id)).count == 4)
    #expect(Array(ring.entries.dropFirst().map(\.id)) == before)
    #expect(ring.entries.first?.at == Date(timeIntervalSince1970: 9))
    #expect(ring.entries.last?.style == nil)
    #expect(ring.entries.dropFirst().first?.style == "Mail")
  }

  @Test("S-94 P-65 forgetting them all leaves none, and later ones have identifiers of their own")
  func removeAll() {
    var ring = ring(3)
    let before = Set(ring.entries.map(\.id))
    ring.removeAll()
    #expect(ring.entries.isEmpty)
    #expect(ring.spokenTexts == [])
    ring.record(shownText: "new", spokenText: "new", style: nil, at: Date(timeIntervalSince1970: 9))
    #expect(before.isDisjoint(with: ring.entries.map(\.id)))
  }

  @Test("S-96 the next request gets the spoken texts, oldest first")
  func spoken() {
    #expect(ring(3).spokenTexts == ["spoken 0", "spoken 1", "spoken 2"])
  }
}
