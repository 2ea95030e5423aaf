/// Which engine a dictation gets, decided anew at each press from the settings and from what is there.
public struct EngineChoice: Sendable, Hashable {
  /// The engine that was chosen; nil: the first one that can work.
  public var chosen: EngineKind?
  public var hasAPIKey: Bool
  public var offlineIsInstalled: Bool
  /// Nothing may leave this machine.
  public var staysLocal: Bool
  /// Whether the service's address is a loopback one.
  public var serviceIsLoopback: Bool

  public init(
    chosen: EngineKind?, hasAPIKey: Bool, offlineIsInstalled: Bool, staysLocal: Bool = false,
    serviceIsLoopback: Bool = false
  ) {
    self.chosen = chosen
    self.hasAPIKey = hasAPIKey
    self.offlineIsInstalled = offlineIsInstalled
    self.staysLocal = staysLocal
    self.serviceIsLoopback = serviceIsLoopback
  }

  /// The engine, or why a press is refused (S-50).
  public func decide() -> Result<EngineKind, BlurtError> {
    Self.decide(
      chosen: chosen, hasAPIKey: hasAPIKey, offlineIsInstalled: offlineIsInstalled, staysLocal: staysLocal,
      serviceIsLoopback: serviceIsLoopback)
  }

  /// The same, asking only for what the decision needs: the answer to a press waits for it.
  public static func decide(
    chosen: EngineKind?, hasAPIKey: @autoclosure () -> Bool, offlineIsInstalled: @autoclosure () -> Bool,
    staysLocal: @autoclosure () -> Bool, serviceIsLoopback: @autoclosure () -> Bool
  ) -> Result<EngineKind, BlurtError> {
    switch chosen {
    case nil:
      if hasAPIKey() && (!staysLocal() || serviceIsLoopback()) { return .success(.assemblyai) }
      if offlineIsInstalled() { return .success(.offline) }
      return .failure(hasAPIKey() ? Self.staysLocal : .apiKeyMissing)
    case .assemblyai:
      guard !staysLocal() || serviceIsLoopback() else { return .failure(Self.staysLocal) }
      return hasAPIKey() ? .success(.assemblyai) : .failure(.apiKeyMissing)
    case .offline:
      guard offlineIsInstalled() else {
        return .failure(
          Self.refusal(.notInstalled, "The offline engine is not installed: run scripts/fetch-offline-engine.sh."))
      }
      return .success(.offline)
    case .openai, .command:
      return .failure(chosen?.refusal ?? .apiKeyMissing)
    }
  }

  private static let staysLocal = refusal(
    .stayLocal, "BlurtStayLocal is on and the service is not on this machine: choose `offline`, and install it.")

  /// Codes of `UnderlyingError.Domain.other` that a refusal carries.
  public enum Refusal: Int, Sendable, Hashable, CaseIterable {
    case stayLocal = 1
    case notInstalled = 2
  }

  private static func refusal(_ code: Refusal, _ message: String) -> BlurtError {
    .sttFailed(underlying: UnderlyingError(domain: .other, code: code.rawValue, message: message))
  }
}
