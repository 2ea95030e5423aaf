import BlurtEngine
import FoundationEssentials
import Testing

@Suite struct RelativeLabelTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private static let labels: [(age: Double, label: String)] = [
    (0, "just now"), (59.999, "just now"), (-5, "just now"), (-86_400, "just now"), (60, "1 minute ago"),
    (119, "1 minute ago"), (120, "2 minutes ago"), (3_599, "59 minutes ago"), (3_600, "1 hour ago"),
    (7_200, "2 hours ago"), (86_399, "23 hours ago"), (86_400, "1 day ago"), (518_400, "6 days ago"),
    (604_800, "1 week ago"), (2_591_999, "4 weeks ago"), (2_592_000, "1 month ago"), (31_535_999, "12 months ago"),
    (31_536_000, "1 year ago"), (94_608_000, "3 years ago"), (Double.infinity, "just now"), (Double.nan, "just now"),
  ]

  @Test("S-95 just now below a minute and for a time to come, then whole units", arguments: labels)
  func label(age: Double, label: String) {
    #expect(now.addingTimeInterval(-age).relativeLabel(asOf: now) == label)
  }

  @Test("S-95 no age is too long for a label")
  func longAgo() {
    #expect(Date(timeIntervalSince1970: -1e300).relativeLabel(asOf: now).hasSuffix("years ago"))
  }

  @Test("S-95 the threshold is public and an entry uses the same words")
  func entry() {
    #expect(RecentDictation.justNowThreshold == .seconds(60))
    let entry = RecentDictation(
      id: 1, shownText: "", spokenText: "", style: nil, at: now.addingTimeInterval(-300))
    #expect(entry.relativeLabel(asOf: now) == "5 minutes ago")
  }
}
