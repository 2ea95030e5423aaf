import BlurtEngine
import Testing

@Suite struct MeterBarRowTests {
  @Test("Y-21 S-89 the bars stand in the middle of the meter, within its insets, three points apart")
  func bars() throws {
    let row = MeterBarRow(width: 35, level: 1, after: .zero, isAnimated: false)
    let bars = row.bars(width: 35, height: 26)
    #expect(bars.map(\.x) == [4, 10, 16, 22, 28])
    #expect(bars.allSatisfy { $0.width == 3 })
    #expect(bars[2].y == 3 && bars[2].height == 20)
    for bar in bars {
      #expect(bar.y >= 3 && bar.y + bar.height <= 23)
      #expect(abs(bar.y + bar.height / 2 - 13) < 1e-9)
    }
    #expect(row.bars(width: 35, height: 2).allSatisfy { $0.height == 0 })
  }

  @Test("Y-21 as block characters, one for each bar, from the lowest to the full one")
  func blocks() {
    #expect(MeterBarRow(barCount: 3, level: 0, after: .zero, isAnimated: false).blocks == "▁▁▁")
    #expect(MeterBarRow(barCount: 3, level: 1, after: .zero, isAnimated: false).blocks == "▅█▅")
    #expect(MeterBarRow(barCount: 0, level: .nan, after: .zero, isAnimated: true).blocks == "▁")
    #expect(MeterBarRow(barCount: 12, level: 0.5, after: .seconds(9), isAnimated: true).blocks.count == 12)
  }
}
