import BlurtEngine
import Testing

@Suite struct ReservedListHeightTests {
  @Test("S-97 rows and the separators between them", arguments: [(3, 62.0), (1, 20.0), (0, 0.0), (-1, 0.0)])
  func height(rowCount: Int, height: Double) {
    #expect(ReservedListHeight.height(rowCount: rowCount, rowHeight: 20, separatorHeight: 1) == height)
  }

  @Test("S-93 S-97 the list of recent dictations reserves three rows")
  func recent() {
    #expect(
      ReservedListHeight.height(rowCount: RecentDictations.displayedCount, rowHeight: 10, separatorHeight: 2) == 34)
  }
}
