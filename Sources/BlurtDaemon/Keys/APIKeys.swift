package import AssemblyAI
package import BlurtEngine

/// The keys of all engines that take one, each with the way to check it.
package struct APIKeys: Sendable {
  package let service: APIKeySource
  package let openai: APIKeySource
  private let models: [EngineKind: APIKeyModel]
  private let validators: [EngineKind: @Sendable (String) async -> APIKeyValidator.Verdict]

  /// `onChange` is called after each save and removal.
  package init(
    service: APIKeySource, openai: APIKeySource,
    validateService: @escaping @Sendable (String) async -> APIKeyValidator.Verdict,
    validateOpenAI: @escaping @Sendable (String) async -> APIKeyValidator.Verdict,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.service = service
    self.openai = openai
    validators = [.assemblyai: validateService, .openai: validateOpenAI]
    models = [
      .assemblyai: APIKeyModel(
        gateway: service, validate: validateService, offPool: { await service.offPool($0) }, onChange: onChange),
      .openai: APIKeyModel(
        gateway: openai, validate: validateOpenAI, offPool: { await openai.offPool($0) }, onChange: onChange),
    ]
  }

  /// Nil for an engine that takes no key.
  package func source(_ engine: EngineKind) -> APIKeySource? {
    switch engine {
    case .assemblyai: service
    case .openai: openai
    case .offline, .command: nil
    }
  }

  package func model(_ engine: EngineKind) -> APIKeyModel? { models[engine] }

  /// What the engine's service says of the key that is stored.
  package func check(_ engine: EngineKind, _ key: String) async -> APIKeyValidator.Verdict {
    await validators[engine]?(key) ?? .unreachable
  }
}
