import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite struct CommandTicketTests {
  private static let arrivals: [(SessionLedger.Arrival, CommandDecision)] = [
    (.queued, .ignored), (.started, .started), (.refused(.apiKeyMissing), .refused(.apiKeyMissing)), (.busy, .busy),
    (.cancelled, .done), (.nothing, .ignored),
  ]

  @Test("S-123 a command that is through before it is answered says what its arrival decided", arguments: arrivals)
  func throughFirst(_ arrival: SessionLedger.Arrival, _ expected: CommandDecision) {
    let decisions = Box<[CommandDecision]>([])
    let ends = Box<[CommandDecision]>([])
    let ticket = CommandTicket(
      number: 1, command: .press(key: nil), arrival: arrival, decided: { decision, _ in decisions.append(decision) },
      finished: { ends.append($0) })
    ticket.finish()
    // Whoever submitted it comes too late.
    ticket.decide(.started)
    ticket.finish()
    #expect(decisions.value == [expected])
    #expect(ends.value == [expected])
  }
}
