package import BlurtEngine

/// The words of a kept recording that was sent again.
package struct RetriedText: Sendable, Hashable {
  /// The id of the recording.
  package let recording: String
  /// The shown text, trimmed.
  package let text: String
  /// With the user's shortcuts replaced (S-71).
  package let shownText: String
  /// As the engine gave it (S-96).
  package let spokenText: String
  package let engine: EngineKind
  /// The engine that should have spoken and failed; nil when there was no fallback.
  package let fellBackFrom: EngineKind?
}
