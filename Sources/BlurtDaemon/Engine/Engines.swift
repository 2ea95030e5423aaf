package import AssemblyAI
internal import BlurtContract
package import BlurtEngine
internal import BlurtOS
package import BlurtOffline
internal import FoundationEssentials
internal import Glibc

/// The engines, and which of them speaks next: everything about transcription that the settings decide.
package struct Engines: Sendable {
  private let settings: Settings
  private let key: APIKeySource
  private let openAIKey: APIKeySource
  private let baseURLOverride: String?
  private let service: AssemblyAITranscriber
  private let openAI: OpenAITranscriber
  private let command: CommandTranscriber
  package let offline: OfflineTranscriber
  package let gate: OfflineGate
  private let installation: @Sendable () -> OfflineInstallation?
  private let settingsGeneration: (@Sendable () -> UInt64)?
  private let settingsProblem: @Sendable () -> String?
  private let settingsAreFinal: @Sendable () -> Bool
  private let memo = ReadinessMemo()

  /// `settingsGeneration` is another number whenever a setting may have changed; nil where that is not known.
  /// `settingsProblem` says why the settings file cannot be used, and `settingsAreFinal` is false while somebody seems to be
  /// saving it.
  package init(
    settings: Settings, key: APIKeySource, openAIKey: APIKeySource, baseURLOverride: String?,
    transport: any HTTPTransport, environment: [String: String], offline: OfflineTranscriber, gate: OfflineGate,
    installation: @escaping @Sendable () -> OfflineInstallation?,
    redactPriorText: @escaping @Sendable (String) -> String, settingsGeneration: (@Sendable () -> UInt64)? = nil,
    settingsProblem: @escaping @Sendable () -> String? = { nil },
    settingsAreFinal: @escaping @Sendable () -> Bool = { true }
  ) {
    self.settingsProblem = settingsProblem
    self.settingsAreFinal = settingsAreFinal
    self.settingsGeneration = settingsGeneration
    self.settings = settings
    self.key = key
    self.openAIKey = openAIKey
    self.baseURLOverride = baseURLOverride
    self.offline = offline
    self.gate = gate
    self.installation = installation
    let userAgent = Self.userAgent()
    service = AssemblyAITranscriber(
      transport: transport,
      settings: .init(
        apiKey: { try await Self.apiKey(key) },
        baseURL: {
          let address = Self.baseURL(settings: settings, override: baseURLOverride)
          try Self.permit(address, settings, otherwise: EngineChoice.staysLocal)
          return address
        },
        userAgent: { userAgent },
        isEnhanced: { settings.enhancedTranscripts },
        rewriteMode: { settings.usesSmartRewrite ? .smart : .fast }, redactPriorText: redactPriorText),
      report: Self.report)
    openAI = OpenAITranscriber(
      transport: transport,
      settings: .init(
        address: {
          guard let address = settings.openAIOrigin else { return nil }
          try Self.permit(address, settings, otherwise: EngineChoice.serverStaysLocal)
          return address
        },
        // Most such servers want none: a keyring that is locked is no reason to fail, and the press has asked it.
        apiKey: { await openAIKey.answered().key },
        model: { settings.openAIModel }, language: { settings.openAILanguage }, userAgent: { userAgent }))
    command = CommandTranscriber(
      settings: .init(
        command: { settings.engineCommand }, limit: { .seconds(settings.engineCommandSeconds) }),
      environment: environment)
  }

  /// Asked where the address is used, minutes after the press that was decided: audio that is to stay does not leave because
  /// a setting was changed meanwhile.
  private static func permit(_ address: String, _ settings: Settings, otherwise refusal: BlurtError) throws {
    guard !settings.staysLocal || isLoopback(address) else { throw refusal }
  }

  /// The service's key. Waits for the keyring where that has not answered yet: the press did not (T-109).
  private static func apiKey(_ source: APIKeySource) async throws -> String? {
    switch await source.asking() {
    case .found(let key): return key
    case .absent: return nil
    case .unavailable(let reason):
      throw BlurtError.sttFailed(
        underlying: UnderlyingError(
          domain: .other, code: EngineChoice.Refusal.keyStoreLocked.rawValue,
          message: "\(reason) The recording is kept: `blurtctl retry` sends it."))
    }
  }

  /// T-109: a keyring that was locked or silent is asked again, beside the press. Waits for nothing.
  package func askForKeys() {
    key.askIfOpen()
    if settings.engine == .openai { openAIKey.askIfOpen() }
  }

  /// The choice as the settings and the machine stand now.
  package var choice: EngineChoice {
    EngineChoice(
      chosen: settings.engine, key: keyState, offlineIsInstalled: installation() != nil,
      staysLocal: settings.staysLocal,
      serviceIsLoopback: Self.isLoopback(Self.baseURL(settings: settings, override: baseURLOverride)),
      openAI: openAIPlace, hasCommand: !settings.engineCommand.isEmpty)
  }

  private var keyState: EngineChoice.Key {
    switch key.known {
    case .found: .present
    case .absent: .absent
    case .unavailable: .unknown
    }
  }

  private var openAIPlace: EngineChoice.Place {
    guard let address = settings.openAIOrigin else { return .unset }
    return Self.isLoopback(address) ? .loopback : .elsewhere
  }

  /// What `choice` decides for an engine, asking only for what is needed: the engine, or why a press would be refused
  /// (S-50).
  private func decide(_ chosen: EngineKind?) -> Result<EngineKind, BlurtError> {
    EngineChoice.decide(
      chosen: chosen, key: keyState, offlineIsInstalled: installation() != nil,
      staysLocal: settings.staysLocal,
      serviceIsLoopback: Self.isLoopback(Self.baseURL(settings: settings, override: baseURLOverride)),
      openAI: openAIPlace, hasCommand: !settings.engineCommand.isEmpty
    ).mapError(explained)
  }

  private var decision: Result<EngineKind, BlurtError> { decide(settings.engine) }

  /// The refusal with its cause: where the settings cannot be used, they are what is to be mended.
  func explained(_ error: BlurtError) -> BlurtError { Self.explained(error, settingsProblem: settingsProblem()) }

  static func explained(_ error: BlurtError, settingsProblem: @autoclosure () -> String?) -> BlurtError {
    guard let cause = error.underlying, cause.domain == .other,
      cause.code == EngineChoice.Refusal.stayLocal.rawValue, let problem = settingsProblem()
    else { return error }
    return .sttFailed(underlying: UnderlyingError(domain: cause.domain, code: cause.code, message: problem))
  }

  /// The engine that would speak now; nil where a press would be refused.
  package var current: EngineKind? { try? decision.get() }

  /// The engine that takes over when the chosen one fails; nil where none would.
  package var fallback: EngineKind? {
    guard let current, current != .offline, settings.fallsBackToOffline, installation() != nil else { return nil }
    return .offline
  }

  /// Starts the processes that the next dictation may need, so that they load while nobody waits. Once running, a process
  /// is left alone; its idle time begins anew.
  package func loadOffline() async {
    guard installation() != nil, let current else { return }
    if current == .offline || fallback == .offline { await offline.warmUp() }
    if current == .openai || current == .command { await gate.warmUp() }
  }

  /// Why a press would be refused (S-50). The answer to the press waits for this.
  package var blocker: BlurtError? {
    guard let settingsGeneration else { return decision.failure }
    return memo.blocker(settings: settingsGeneration(), keyFile: key.decidingFile) {
      let decision = decision
      return (
        decision.failure, decision == .success(.assemblyai) && !key.isOpen && settingsAreFinal()
      )
    }
  }

  /// Why that engine could not work now; nil where it could.
  package func blocker(of engine: EngineKind) -> BlurtError? { decide(engine).failure }

  /// The engine of the next utterance, with its fallback.
  package func transcriber() throws -> any TranscriberProtocol {
    let engine = try decision.get()
    guard engine != .offline else { return offline }
    return FallbackTranscriber(primary: self[engine], kind: engine) { [self] in fallback == nil ? nil : offline }
  }

  /// That engine and no other: for somebody who names it.
  package func transcriber(_ engine: EngineKind) throws -> any TranscriberProtocol { self[try decide(engine).get()] }

  private subscript(_ engine: EngineKind) -> any TranscriberProtocol {
    switch engine {
    case .assemblyai: service
    case .offline: offline
    case .openai: gated(openAI, .openai)
    case .command: gated(command, .command)
    }
  }

  private func gated(_ engine: any TranscriberProtocol, _ kind: EngineKind) -> GatedTranscriber {
    GatedTranscriber(engine, kind: kind, gate: installation() == nil ? nil : gate)
  }

  /// `BLURT_BASE_URL`, then the setting, then the service's own address.
  package static func baseURL(settings: Settings, override: String?) -> String {
    DictationOrigin.normalized(override ?? settings.origin)
  }

  /// Whether an address is of this machine.
  package static func isLoopback(_ address: String) -> Bool {
    guard let host = URL(string: address)?.host()?.lowercased() else { return false }
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if name == "localhost" || name == "::1" || name.hasSuffix(".localhost") { return true }
    var parsed = in_addr()
    return inet_pton(AF_INET, name, &parsed) == 1 && UInt32(bigEndian: parsed.s_addr) >> 24 == 127
  }

  package static func userAgent() -> String {
    var system = utsname()
    var details = ["Linux"]
    if uname(&system) == 0 {
      let release = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let numbers = release.split(whereSeparator: { !$0.isNumber && $0 != "." }).first ?? ""
      details = ["Linux " + numbers.split(separator: ".").prefix(2).joined(separator: ".")]
    }
    #if DEBUG
      details.append("dev")
    #endif
    return UserAgent.make(product: HostIdentity.current.productName, version: ProductVersion.current, details: details)
  }

  /// T-62, T-63: diagnostics go to the journal, without any text.
  private static func report(_ diagnostics: TranscriptionDiagnostics) {
    Log.info(
      "the service has answered",
      [
        "session": diagnostics.sessionID ?? "", "sentMilliseconds": "\(diagnostics.sentAudioMilliseconds)",
        "heardMilliseconds": diagnostics.audioDurationMilliseconds.map(String.init) ?? "",
        "requestMilliseconds": diagnostics.requestTimeMilliseconds.map(String.init) ?? "",
        "rewriteError": diagnostics.llmError ?? "", "rewriteRefused": "\(diagnostics.isRewriteRefused)",
      ])
    if diagnostics.isUploadCutShort {
      Log.warning(
        "the service heard less than was sent",
        [
          "sentMilliseconds": "\(diagnostics.sentAudioMilliseconds)",
          "heardMilliseconds": diagnostics.audioDurationMilliseconds.map(String.init) ?? "",
        ])
    }
  }
}

extension Result {
  /// The error of a failure.
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { return error }
    return nil
  }
}
