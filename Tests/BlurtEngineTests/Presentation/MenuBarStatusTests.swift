import BlurtEngine
import Testing

@Suite struct MenuBarStatusTests {
  @Test("S-85 only recording and transcribing show; connecting, injecting and every failure rest")
  func phases() {
    for row in PipelinePhaseTests.all {
      let expected: MenuBarStatus =
        switch row.name {
        case "recording": .recording
        case "transcribing": .transcribing
        default: .idle
        }
      #expect(MenuBarStatus(row.phase) == expected, "\(row.name)")
    }
    for row in BlurtErrorTests.all { #expect(MenuBarStatus(.failed(row.error)) == .idle) }
  }

  @Test("S-85 three symbols, three labels, each with the product's name")
  func looks() {
    #expect(Set(MenuBarStatus.allCases.map(\.symbolName)).count == 3)
    #expect(Set(MenuBarStatus.allCases.map(\.label)).count == 3)
    #expect(Set(MenuBarStatus.allCases.map(\.name)).count == 3)
    for status in MenuBarStatus.allCases { #expect(status.label.hasPrefix("Blurt")) }
  }
}
