/// The config object of a dictation request (T-26…T-35).
///
/// Holds what was fitted to the service's caps already; an empty optional field is left out (T-33).
public struct DictationConfig: Sendable, Hashable {
  /// How thoroughly the service rewrites (T-31, T-34).
  public enum RewriteMode: String, Sendable, Hashable, CaseIterable {
    /// The service's default; nothing is sent for it.
    case fast
    case smart
  }

  /// The most Unicode scalars of `sttPrompt` that the service takes (T-28, measured).
  public static let sttPromptScalarLimit = 4_096
  /// The most UTF-8 bytes of all key terms together (T-29).
  public static let keyTermsByteLimit = 2_048
  /// The most key terms (T-29).
  public static let keyTermsCountLimit = 100
  /// The most UTF-8 bytes of `llmInstruction` (T-30).
  public static let llmInstructionByteLimit = 2_048

  /// Samples a second.
  public var sampleRate: Int
  public var channels: Int
  public var sttPrompt: String
  public var keyTerms: [String]
  /// Nil only where even the base instruction is over the cap.
  public var llmInstruction: String?
  /// Sent only when it is `smart`.
  public var rewriteMode: RewriteMode

  public init(
    sampleRate: Int = 16_000, channels: Int = 1, sttPrompt: String = "", keyTerms: [String] = [],
    llmInstruction: String? = nil, rewriteMode: RewriteMode = .fast
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.sttPrompt = sttPrompt
    self.keyTerms = keyTerms
    self.llmInstruction = llmInstruction
    self.rewriteMode = rewriteMode
  }

  /// UTF-8 JSON with sorted keys, no spaces and plain slashes, so that two requests can be compared as bytes (T-35).
  public func encoded() -> [UInt8] {
    var json = "{\"channels\":\(channels)"
    if !keyTerms.isEmpty {
      json += ",\"keyterms_prompt\":[" + keyTerms.map(\.jsonLiteral).joined(separator: ",") + "]"
    }
    if let llmInstruction, !llmInstruction.isEmpty { json += ",\"llm_instruction\":" + llmInstruction.jsonLiteral }
    if rewriteMode == .smart { json += ",\"rewrite_mode\":" + rewriteMode.rawValue.jsonLiteral }
    json += ",\"sample_rate\":\(sampleRate)"
    if !sttPrompt.isEmpty { json += ",\"stt_prompt\":" + sttPrompt.jsonLiteral }
    json += "}"
    return Array(json.utf8)
  }
}
