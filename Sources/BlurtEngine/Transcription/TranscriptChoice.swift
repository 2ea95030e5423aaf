internal import AssemblyAI

/// Which of the two texts of an answer is used (T-64).
struct TranscriptChoice: Sendable, Hashable {
  let text: String
  /// A rewrite was there and was refused (T-65c).
  let isRewriteRefused: Bool

  init(_ response: DictationResponse, isEnhanced: Bool, instruction: String?) {
    guard isEnhanced, let rewrite = response.llmResponse?.trimmedNonEmpty else {
      text = response.text
      isRewriteRefused = false
      return
    }
    isRewriteRefused = !RewriteGrounding.isGrounded(
      rewrite: rewrite, transcript: response.text, instruction: instruction)
    text = isRewriteRefused ? response.text : rewrite
  }
}
