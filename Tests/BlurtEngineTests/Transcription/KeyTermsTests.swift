import BlurtEngine
import Testing

@Suite struct KeyTermsTests {
  @Test("T-54 150 short terms give exactly 100, and a first term over the cap gives none")
  func vectors() {
    let terms = (100..<250).map { "\($0)" }
    #expect(KeyTerms.fit(terms) == Array(terms[..<100]))
    #expect(KeyTerms.fit([String(repeating: "x", count: 2_049), "a"]) == [])
  }

  @Test("T-52 whole terms in the user's order, trimmed, blanks skipped; the first that does not fit ends the list")
  func order() {
    let long = String(repeating: "é", count: 1_000)
    #expect(KeyTerms.fit([" b ", "", " \n", "a", long, String(repeating: "y", count: 47), "z"]) == ["b", "a", long])
  }

  @Test("T-53 bytes are counted over the terms alone, and nothing is deduplicated")
  func bytes() {
    let half = String(repeating: "é", count: 512)
    #expect(KeyTerms.fit([half, half]) == [half, half])
    #expect(KeyTerms.fit([half, half, "a"]) == [half, half])
  }
}
