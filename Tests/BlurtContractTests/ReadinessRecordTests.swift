import BlurtContract
import Testing

@Suite struct ReadinessRecordTests {
  private let record = ReadinessRecord(
    state: .open, generation: 3, publishedAt: .seconds(100), processID: 42)

  @Test("S-120 S-122 the record is one line with state, reason, generation, time and writer, and is read back")
  func line() {
    #expect(
      String(decoding: record.line, as: UTF8.self)
        == #"{"generation":3,"processID":42,"publishedAtMs":100000,"state":"open"}"# + "\n")
    #expect(ReadinessRecord(line: record.line) == record)
    for state in ListeningState.allCases {
      let refused = ReadinessRecord(
        state: state, reason: .seatInactive, generation: .max >> 1, publishedAt: .zero, processID: 1)
      #expect(ReadinessRecord(line: refused.line) == refused)
    }
  }

  @Test("S-107 S-121 a record older than the lease says nothing; nor does one from the future, of an earlier boot")
  func age() {
    #expect(record.isListening(at: .seconds(100), lockIsHeld: false))
    #expect(record.isListening(at: .seconds(115), lockIsHeld: false))
    #expect(!record.isListening(at: .seconds(115) + .milliseconds(1), lockIsHeld: false))
    #expect(!record.isListening(at: .seconds(99), lockIsHeld: false))
  }

  @Test("S-121 while its writer holds the daemon's lock a record is true at any age")
  func lock() {
    #expect(record.isListening(at: .seconds(1_000_000), lockIsHeld: true))
    var closed = record
    for state in ListeningState.allCases where state != .open {
      closed.state = state
      #expect(!closed.isListening(at: .seconds(100), lockIsHeld: true))
    }
  }

  @Test(
    "S-121 what is no record is none",
    arguments: [
      "", "{", "[]", "null", #"{"state":"open"}"#, #"{"state":"dreaming","publishedAtMs":1,"processID":1}"#,
      #"{"state":"open","publishedAtMs":"1","processID":1}"#, #"{"state":"open","publishedAtMs":1,"processID":-1}"#,
      #"{"state":"open","publishedAtMs":1,"processID":1}{}"#,
    ])
  func broken(_ text: String) {
    #expect(ReadinessRecord(line: Array(text.utf8)) == nil)
  }
}
