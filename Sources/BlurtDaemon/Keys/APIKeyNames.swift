package import BlurtEngine

/// Under which names one engine's key is kept.
package struct APIKeyNames: Sendable, Hashable {
  /// The engine that the key is for.
  package let engine: EngineKind
  /// The file in `CREDENTIALS_DIRECTORY`.
  package let credential: String
  /// The environment variable.
  package let variable: String
  /// The attribute `service` in the Secret Service (P-56).
  package let service: String
  /// The file's name in the settings folder (P-60).
  package let file: String

  /// The key of the AssemblyAI service.
  package static func assemblyai(service: String = HostIdentity.current.keychainService) -> APIKeyNames {
    APIKeyNames(
      engine: .assemblyai, credential: "assemblyai-api-key", variable: "ASSEMBLYAI_API_KEY", service: service,
      file: "api-key")
  }

  /// The key of the server of OpenAI's kind. Not `OPENAI_API_KEY`: that one is meant for OpenAI, and the server may be
  /// another.
  package static func openai(service: String = HostIdentity.current.keychainService) -> APIKeyNames {
    APIKeyNames(
      engine: .openai, credential: "openai-api-key", variable: "BLURT_OPENAI_API_KEY", service: service + "-openai",
      file: "openai-api-key")
  }

  /// Every variable that holds a key, or says where one is: none of them is for a child.
  package static let secretVariables = ["ASSEMBLYAI_API_KEY", "BLURT_OPENAI_API_KEY", "CREDENTIALS_DIRECTORY"]
}
