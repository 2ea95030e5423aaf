import BlurtEngine
import Testing

@Suite("EngineChoice") struct EngineChoiceTests {
  private func refusal(_ code: EngineChoice.Refusal) -> Result<EngineKind, BlurtError> {
    .failure(.sttFailed(underlying: UnderlyingError(domain: .other, code: code.rawValue, message: "")))
  }

  @Test("unset means the service where a key is, else the offline engine, else a refusal that names both remedies")
  func unset() {
    #expect(EngineChoice(chosen: nil, key: .present, offlineIsInstalled: true).decide() == .success(.assemblyai))
    #expect(EngineChoice(chosen: nil, key: .absent, offlineIsInstalled: true).decide() == .success(.offline))
    #expect(EngineChoice(chosen: nil, key: .absent, offlineIsInstalled: false).decide() == .failure(.apiKeyMissing))
    let message = BlurtError.apiKeyMissing.description
    #expect(message.contains("key") && message.contains("offline"))
  }

  @Test("a chosen engine is used or refused, never silently replaced")
  func chosen() {
    #expect(EngineChoice(chosen: .offline, key: .present, offlineIsInstalled: true).decide() == .success(.offline))
    #expect(
      EngineChoice(chosen: .offline, key: .present, offlineIsInstalled: false).decide() == refusal(.notInstalled))
    #expect(
      EngineChoice(chosen: .assemblyai, key: .absent, offlineIsInstalled: true).decide() == .failure(.apiKeyMissing)
    )
    #expect(EngineChoice(chosen: .openai, key: .present, offlineIsInstalled: true).decide() == refusal(.notSet))
    #expect(EngineChoice(chosen: .command, key: .present, offlineIsInstalled: true).decide() == refusal(.notSet))
    #expect(
      EngineChoice(chosen: .openai, key: .absent, offlineIsInstalled: false, openAI: .elsewhere).decide()
        == .success(.openai))
    #expect(
      EngineChoice(chosen: .command, key: .absent, offlineIsInstalled: false, hasCommand: true).decide()
        == .success(.command))
  }

  @Test("P-75 a key whose store cannot say is tried for, but an engine that is there for sure comes first")
  func unknownKey() {
    #expect(
      EngineChoice(chosen: .assemblyai, key: .unknown, offlineIsInstalled: true).decide() == .success(.assemblyai))
    #expect(EngineChoice(chosen: nil, key: .unknown, offlineIsInstalled: true).decide() == .success(.offline))
    #expect(EngineChoice(chosen: nil, key: .unknown, offlineIsInstalled: false).decide() == .success(.assemblyai))
    #expect(
      EngineChoice(chosen: nil, key: .unknown, offlineIsInstalled: false, staysLocal: true).decide()
        == refusal(.stayLocal))
  }

  @Test(
    "with BlurtStayLocal a server of another machine is refused; one of this machine and the user's program are not")
  func stayLocalOwn() {
    var choice = EngineChoice(
      chosen: .openai, key: .absent, offlineIsInstalled: false, staysLocal: true, openAI: .elsewhere)
    #expect(choice.decide() == refusal(.stayLocal))
    choice.openAI = .loopback
    #expect(choice.decide() == .success(.openai))
    (choice.chosen, choice.hasCommand) = (.command, true)
    #expect(choice.decide() == .success(.command))
  }

  @Test("with BlurtStayLocal only this machine is used")
  func stayLocal() {
    var choice = EngineChoice(chosen: nil, key: .present, offlineIsInstalled: true, staysLocal: true)
    #expect(choice.decide() == .success(.offline))
    // The key is there: that it is missing would be no reason.
    choice.offlineIsInstalled = false
    #expect(choice.decide() == refusal(.stayLocal))
    choice.key = .absent
    #expect(choice.decide() == .failure(.apiKeyMissing))
    (choice.key, choice.offlineIsInstalled, choice.chosen) = (.present, true, .assemblyai)
    #expect(choice.decide() == refusal(.stayLocal))
    choice.serviceIsLoopback = true
    #expect(choice.decide() == .success(.assemblyai))
  }
}
