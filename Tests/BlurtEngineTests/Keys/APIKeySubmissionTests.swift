import AssemblyAI
import BlurtEngine
import BlurtTestSupport
import Testing

/// A gateway that gives back something else than was saved, or refuses.
private struct BrokenGateway: APIKeyGateway {
  var known: APIKeyReading { .found("old-key") }
  func read() -> APIKeyReading { known }
  func save(_ key: String?) throws(APIKeyStoreFault) { throw APIKeyStoreFault("The disk is full.") }
}

@Suite struct APIKeySubmissionTests {
  private let gateway = InMemoryAPIKeyStore("old-key")
  private let asked = Box<[String]>([])

  private func model(
    _ verdict: APIKeyValidator.Verdict, _ gateway: (any APIKeyGateway)? = nil,
    onChange: @escaping @Sendable () -> Void = {}
  ) -> APIKeyModel {
    APIKeyModel(
      gateway: gateway ?? self.gateway,
      validate: { [asked] key in
        asked.update { $0.append(key) }
        return verdict
      }, onChange: onChange)
  }

  @Test("T-101 P-71 P-73 a valid key is trimmed, checked, stored and told of")
  func valid() async {
    let changes = Box(0)
    let model = model(.valid) { changes.update { $0 += 1 } }
    #expect(await model.submit(" new-key-1234\n") == .valid)
    #expect(asked.value == ["new-key-1234"] && gateway.current == "new-key-1234")
    #expect(model.hasAPIKey && model.display.text == "••••1234" && changes.value == 1)
    #expect(await model.save(nil) == nil)
    #expect(!model.hasAPIKey && model.readinessCheck == .apiKeyMissing && changes.value == 2)
  }

  @Test("T-103 T-104 P-72 an invalid key and one that was not checked leave the old one, and are reported inline")
  func notTaken() async {
    for (verdict, outcome) in [
      (APIKeyValidator.Verdict.invalid, APIKeySubmission.Outcome.invalid), (.unreachable, .unreachable),
    ] {
      #expect(await model(verdict).submit("new-key-1234") == outcome)
      #expect(gateway.current == "old-key")
      guard case .inline(let message)? = outcome.report else {
        Issue.record("no inline report")
        return
      }
      #expect(!message.isEmpty)
    }
    #expect(APIKeySubmission.Outcome.valid.report == nil)
  }

  @Test("T-102 P-72 a key that could not be stored is an alert with the reason")
  func saveFailed() async {
    let outcome = await model(.valid, BrokenGateway()).submit("new-key-1234")
    #expect(outcome == .saveFailed("The disk is full."))
    #expect(outcome.report == .alert(title: "The key could not be stored", message: "The disk is full."))
  }

  @Test(
    "T-97 what is blank, or what no header could carry, is invalid without a request",
    arguments: ["", " \n\t", "two words", "line\nbreak", "nul\u{0}", "é", String(repeating: "k", count: 1_025)])
  func unusable(text: String) async {
    #expect(await model(.valid).submit(text) == .invalid)
    #expect(asked.value == [] && gateway.current == "old-key")
  }

  @Test("P-75 a store that cannot say is no missing key")
  func readiness() {
    struct Locked: APIKeyGateway {
      var known: APIKeyReading { .unavailable("locked") }
      func read() -> APIKeyReading { known }
      func save(_ key: String?) throws(APIKeyStoreFault) {}
    }
    #expect(model(.valid, Locked()).readinessCheck == nil)
    #expect(model(.valid).readinessCheck == nil)
    #expect(model(.valid, InMemoryAPIKeyStore()).readinessCheck == .apiKeyMissing)
  }
}
