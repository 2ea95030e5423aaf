/// Which engine a dictation gets, decided anew at each press from the settings and from what is there.
public struct EngineChoice: Sendable, Hashable {
  /// Whether there is a key for the service.
  public enum Key: Sendable, Hashable {
    case present, absent
    /// Its store is locked or has not answered: the press tries (P-75).
    case unknown
  }

  /// Where a server is.
  public enum Place: Sendable, Hashable {
    case unset
    /// On this machine.
    case loopback
    case elsewhere
  }

  /// The engine that was chosen; nil: the first one that can work.
  public var chosen: EngineKind?
  public var key: Key
  public var offlineIsInstalled: Bool
  /// Nothing may leave this machine.
  public var staysLocal: Bool
  /// Whether the service's address is a loopback one.
  public var serviceIsLoopback: Bool
  /// Where the server of OpenAI's kind is.
  public var openAI: Place
  /// Whether a program of the user's is set.
  public var hasCommand: Bool

  public init(
    chosen: EngineKind?, key: Key, offlineIsInstalled: Bool, staysLocal: Bool = false,
    serviceIsLoopback: Bool = false, openAI: Place = .unset, hasCommand: Bool = false
  ) {
    self.chosen = chosen
    self.key = key
    self.offlineIsInstalled = offlineIsInstalled
    self.staysLocal = staysLocal
    self.serviceIsLoopback = serviceIsLoopback
    self.openAI = openAI
    self.hasCommand = hasCommand
  }

  /// The engine, or why a press is refused (S-50).
  public func decide() -> Result<EngineKind, BlurtError> {
    Self.decide(
      chosen: chosen, key: key, offlineIsInstalled: offlineIsInstalled, staysLocal: staysLocal,
      serviceIsLoopback: serviceIsLoopback, openAI: openAI, hasCommand: hasCommand)
  }

  /// The same, asking only for what the decision needs: the answer to a press waits for it.
  public static func decide(
    chosen: EngineKind?, key: @autoclosure () -> Key, offlineIsInstalled: @autoclosure () -> Bool,
    staysLocal: @autoclosure () -> Bool, serviceIsLoopback: @autoclosure () -> Bool,
    openAI: @autoclosure () -> Place, hasCommand: @autoclosure () -> Bool
  ) -> Result<EngineKind, BlurtError> {
    switch chosen {
    case nil:
      let key = key()
      let mayLeave = key != .absent && (!staysLocal() || serviceIsLoopback())
      if key == .present && mayLeave { return .success(.assemblyai) }
      if offlineIsInstalled() { return .success(.offline) }
      if mayLeave { return .success(.assemblyai) }
      return .failure(key == .absent ? .apiKeyMissing : Self.staysLocal)
    case .assemblyai:
      guard !staysLocal() || serviceIsLoopback() else { return .failure(Self.staysLocal) }
      return key() == .absent ? .failure(.apiKeyMissing) : .success(.assemblyai)
    case .offline:
      guard offlineIsInstalled() else {
        return .failure(
          Self.refusal(.notInstalled, "The offline engine is not installed: run scripts/fetch-offline-engine.sh."))
      }
      return .success(.offline)
    case .openai:
      switch openAI() {
      case .unset: return .failure(openAIIsNotSet)
      case .loopback: return .success(.openai)
      case .elsewhere: return staysLocal() ? .failure(Self.serverStaysLocal) : .success(.openai)
      }
    case .command: return hasCommand() ? .success(.command) : .failure(commandIsNotSet)
    }
  }

  /// The engine `assemblyai` is elsewhere, and audio is to stay.
  public static let staysLocal = refusal(
    .stayLocal, "BlurtStayLocal is on and the service is not on this machine: choose `offline`, and install it.")
  /// The server of the engine `openai` is elsewhere, and audio is to stay.
  public static let serverStaysLocal = refusal(
    .stayLocal,
    "BlurtStayLocal is on and the server of BlurtOpenAIOrigin is not on this machine: choose `offline`, or one at "
      + "127.0.0.1.")
  /// No address is set for the engine `openai`.
  public static let openAIIsNotSet = refusal(
    .notSet, "The engine openai has no server: blurtctl settings set OpenAIOrigin http://127.0.0.1:8000 names it.")
  /// No program is set for the engine `command`.
  public static let commandIsNotSet = refusal(
    .notSet, "The engine command has no program: blurtctl settings set EngineCommand '[\"/path/to/program\"]' names it."
  )

  /// Codes of `UnderlyingError.Domain.other` that a refusal carries.
  public enum Refusal: Int, Sendable, Hashable, CaseIterable {
    case stayLocal = 1
    case notInstalled = 2
    /// The engine lacks a setting.
    case notSet = 3
    /// The store that has the key is locked.
    case keyStoreLocked = 4
  }

  private static func refusal(_ code: Refusal, _ message: String) -> BlurtError {
    .sttFailed(underlying: UnderlyingError(domain: .other, code: code.rawValue, message: message))
  }
}
