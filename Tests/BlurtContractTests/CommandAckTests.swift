import Testing

@testable import BlurtContract

@Suite struct CommandAckTests {
  @Test("S-148 an answer to a command of the session, which is written without a tree, is the same line as with one")
  func plainLine() {
    for result in CommandResult.allCases {
      for fields in 0..<32 {
        var ack = CommandAck(id: "é\"\\\n\u{7F}", result: result)
        if fields & 1 != 0 { ack.dictation = fields > 15 ? .max : 17 }
        if fields & 2 != 0 { ack.errorKind = "apiKeyMissing" }
        if fields & 4 != 0 { ack.message = "A \"sentence\".\n" }
        if fields & 8 != 0 { ack.phase = .recording }
        if fields & 16 != 0 { ack.reason = .noDevice }
        #expect(ack.line == ack.json.line + [10], "\(ack)")
      }
    }
  }

  @Test("S-148 whatever else an answer has is written too")
  func otherFields() {
    let changes: [(inout CommandAck) -> Void] = [
      { $0.text = "t" }, { $0.errorCause = "key" }, { $0.engine = "e" }, { $0.status = DaemonStatus() },
      { $0.recording = "r" },
      { $0.recent = [] }, { $0.recordings = [] }, { $0.settings = [] }, { $0.checks = [] }, { $0.steps = [] },
      { $0.outcome = DictationOutcome(dictation: 1, phase: .pasted) },
    ]
    for change in changes {
      var ack = CommandAck(id: "1", result: .done)
      let plain = ack.line
      change(&ack)
      #expect(ack.line == ack.json.line + [10])
      #expect(ack.line.count > plain.count)
      let copy = ack
      #expect(copy == ack)
      #expect(copy != CommandAck(id: "1", result: .done))
    }
  }

  @Test("S-148 an answer is handed on several times on its way and stays small")
  func size() { #expect(MemoryLayout<CommandAck>.size <= 256) }
}
