import BlurtEngine
import Testing

@Suite("EngineChoice") struct EngineChoiceTests {
  private func refusal(_ code: EngineChoice.Refusal) -> Result<EngineKind, BlurtError> {
    .failure(.sttFailed(underlying: UnderlyingError(domain: .other, code: code.rawValue, message: "")))
  }

  @Test("unset means the service where a key is, else the offline engine, else a refusal that names both remedies")
  func unset() {
    #expect(EngineChoice(chosen: nil, hasAPIKey: true, offlineIsInstalled: true).decide() == .success(.assemblyai))
    #expect(EngineChoice(chosen: nil, hasAPIKey: false, offlineIsInstalled: true).decide() == .success(.offline))
    #expect(EngineChoice(chosen: nil, hasAPIKey: false, offlineIsInstalled: false).decide() == .failure(.apiKeyMissing))
    let message = BlurtError.apiKeyMissing.description
    #expect(message.contains("key") && message.contains("offline"))
  }

  @Test("a chosen engine is used or refused, never silently replaced")
  func chosen() {
    #expect(EngineChoice(chosen: .offline, hasAPIKey: true, offlineIsInstalled: true).decide() == .success(.offline))
    #expect(
      EngineChoice(chosen: .offline, hasAPIKey: true, offlineIsInstalled: false).decide() == refusal(.notInstalled))
    #expect(
      EngineChoice(chosen: .assemblyai, hasAPIKey: false, offlineIsInstalled: true).decide() == .failure(.apiKeyMissing)
    )
    #expect(EngineKind.openai.refusal != nil && EngineKind.command.refusal != nil)
    #expect(
      EngineChoice(chosen: .openai, hasAPIKey: true, offlineIsInstalled: true).decide()
        == .failure(EngineKind.openai.refusal ?? .apiKeyMissing))
    #expect(
      EngineChoice(chosen: .command, hasAPIKey: true, offlineIsInstalled: true).decide()
        == .failure(EngineKind.command.refusal ?? .apiKeyMissing))
  }

  @Test("with BlurtStayLocal only this machine is used")
  func stayLocal() {
    var choice = EngineChoice(chosen: nil, hasAPIKey: true, offlineIsInstalled: true, staysLocal: true)
    #expect(choice.decide() == .success(.offline))
    // The key is there: that it is missing would be no reason.
    choice.offlineIsInstalled = false
    #expect(choice.decide() == refusal(.stayLocal))
    choice.hasAPIKey = false
    #expect(choice.decide() == .failure(.apiKeyMissing))
    (choice.hasAPIKey, choice.offlineIsInstalled, choice.chosen) = (true, true, .assemblyai)
    #expect(choice.decide() == refusal(.stayLocal))
    choice.serviceIsLoopback = true
    #expect(choice.decide() == .success(.assemblyai))
  }
}
