/// The engines that can turn speech into text. The raw value is what settings, logs and the wire carry.
public enum EngineKind: String, Sendable, Hashable, CaseIterable {
  case assemblyai
  case offline
  case openai
  case command
}
