import BlurtContract
import BlurtTestSupport
import Testing

@testable import blurtctl

@Suite struct MeterBarsTests {
  @Test("Y-21 S-89 every bar is between the floor and the maximum, for any level, time and number of bars")
  func bounds() {
    let levels = [-.infinity, -1, 0, 0.001, 0.1, 0.25, 0.5, 1, 7, .infinity, .nan]
    let times: [Double?] = [nil, 0, 0.3, 1, 1.99, 1e9, -4, .nan, .infinity]
    for level in levels {
      for time in times {
        for count in [-1, 0, 1, 3, 4, 24] {
          let heights = MeterBars.heights(count: count, level: level, time: time)
          #expect(heights.count == max(3, count))
          #expect(heights.allSatisfy { $0 >= MeterBars.heightFloor && $0 <= 1 })
          #expect(MeterBars.text(heights).count == heights.count)
        }
      }
    }
  }

  @Test("Y-21 S-90 without a time the bars stand still; with one they breathe at silence and no more from 0.25 on")
  func breathing() {
    #expect(
      MeterBars.heights(count: 9, level: 0, time: nil).allSatisfy { $0 == MeterBars.heightFloor })
    #expect(MeterBars.heights(count: 9, level: 0, time: 0.2) != MeterBars.heights(count: 9, level: 0, time: 0.9))
    let breaths = [0.2, 2.2].map { MeterBars.heights(count: 9, level: 0, time: $0) }
    #expect(zip(breaths[0], breaths[1]).allSatisfy { abs($0 - $1) < 1e-9 })
    #expect(MeterBars.heights(count: 9, level: 0.25, time: 0.2) == MeterBars.heights(count: 9, level: 0.25, time: nil))
  }

  @Test("S-89 a louder level is higher, and the middle is higher than the edges")
  func shape() {
    let quiet = MeterBars.heights(count: 9, level: 0.3, time: nil)
    let loud = MeterBars.heights(count: 9, level: 0.8, time: nil)
    #expect(zip(quiet, loud).allSatisfy { $0 < $1 })
    #expect(loud[4] > loud[0])
    #expect(loud == loud.reversed())
    #expect(MeterBars.text([0, 0.12, 0.5, 1]) == "▁▁▄█")
  }

  @Test("Y-21 S-115 the line is drawn at most every 80 ms for levels, at once for a phase, and fits the terminal")
  func pace() {
    let printed = Box<[String]>([])
    let console = Console(
      out: { text in printed.value.append(text) }, err: { _ in }, outIsTerminal: true, errIsTerminal: true, input: -1,
      inputIsTerminal: false, outDescriptor: nil, width: { 30 }, wallTime: { 0 }, signals: { nil },
      environment: { _ in nil })
    var display = MeterDisplay(console)
    display.show(.phase(PhaseEvent(phase: .recording)), line: [], at: .zero)
    for time in [79, 80, 81, 100, 159, 160] {
      display.show(.level(LevelEvent(level: 0.5)), line: [], at: .milliseconds(time))
    }
    display.show(.phase(PhaseEvent(phase: .transcribing)), line: [], at: .milliseconds(161))
    #expect(printed.value.count == 4)
    for line in printed.value {
      #expect(line.hasPrefix("\r") && line.hasSuffix("\u{1B}[K"))
      #expect(TerminalText.width(String(line.dropFirst().dropLast(3))) <= 29)
    }
  }
}
