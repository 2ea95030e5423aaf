import BlurtContract
import Testing

@Suite struct ExitStatusTests {
  @Test("S-151 every answer has its documented exit status")
  func ofResults() {
    let expected: [CommandResult: Int32] = [
      .started: 0, .done: 0, .failed: 1, .busy: 3, .notListening: 4, .notOwner: 5, .ignored: 7,
    ]
    for result in CommandResult.allCases { #expect(result.exitStatus.rawValue == expected[result]) }
  }

  @Test("S-151 the exit statuses are the documented numbers, each with a meaning of its own")
  func numbers() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12])
    #expect(Set(ExitStatus.allCases.map(\.meaning)).count == ExitStatus.allCases.count)
  }

  @Test("Y-03 S-10 the phases of the wire are the nine, five of them terminal")
  func phases() {
    #expect(DictationPhase.allCases.count == 9)
    #expect(
      DictationPhase.allCases.filter(\.isTerminal).map(\.rawValue)
        == ["idle", "pasted", "noTarget", "failed", "cancelled"])
  }
}
