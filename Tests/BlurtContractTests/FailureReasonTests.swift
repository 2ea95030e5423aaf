import BlurtContract
import Testing

@Suite struct FailureReasonTests {
  @Test("Y-125 Y-129 each reason has one sentence that says what to do, and a name that is read back")
  func texts() {
    for reason in FailureReason.allCases {
      #expect(reason.text.hasSuffix(".") || reason.text.hasSuffix(")."))
      #expect(reason.text.contains(":"), "\(reason) does not say what to do next")
      #expect(!reason.text.contains("\n"))
      #expect(FailureReason(wire: reason.rawValue) == reason)
    }
    #expect(Set(FailureReason.allCases.map(\.text)).count == FailureReason.allCases.count)
  }

  @Test("Y-125 the reasons of the two-process contract are there by their names")
  func names() {
    for name in [
      "noKey", "noDevice", "deviceLost", "suspended", "seatInactive", "windowClosed", "expired", "starting", "fault",
      "apiKeyMissing",
    ] {
      #expect(FailureReason(rawValue: name) != nil)
    }
    #expect(FailureReason(wire: "somethingNewer") == .fault)
  }
}
