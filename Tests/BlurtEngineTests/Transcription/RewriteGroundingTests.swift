import AssemblyAI
import Testing

@testable import BlurtEngine

@Suite struct RewriteGroundingTests {
  private let instruction = "Tidy up the text. Write like a pirate, with 2 jokes."

  @Test("T-65 a rewrite without letter or digit is refused", arguments: ["", " ", "…", "!?", "—\n"])
  func noWords(rewrite: String) {
    #expect(!RewriteGrounding.isGrounded(rewrite: rewrite, transcript: "…", instruction: nil))
  }

  @Test(
    "T-65 T-65a a run of the instruction is refused, whatever its quotes, case and punctuation",
    arguments: ["Write like a pirate, with 2 jokes.", "\"WRITE like — a pirate\"", "text write", "2"])
  func leak(rewrite: String) {
    #expect(!RewriteGrounding.isGrounded(rewrite: rewrite, transcript: "Yeah.", instruction: instruction))
  }

  @Test(
    "T-65 T-65a words that are no contiguous run of the instruction are kept",
    arguments: ["Yeah.", "write a pirate", "pirates", "Write like a pirate, with 2 jokes. Yeah.", "éa"])
  func grounded(rewrite: String) {
    #expect(RewriteGrounding.isGrounded(rewrite: rewrite, transcript: "Yeah.", instruction: instruction))
  }

  @Test("T-65b what the user really said is kept, even if the instruction says it too")
  func reallySaid() {
    #expect(
      RewriteGrounding.isGrounded(
        rewrite: "Write like a pirate.", transcript: "um write, like a PIRATE please", instruction: instruction))
  }

  @Test("T-65c without an instruction there is nothing to leak")
  func noInstruction() {
    #expect(RewriteGrounding.isGrounded(rewrite: "Tidy up", transcript: "x", instruction: nil))
  }

  // T-64, row by row: enhanced, llm_response, llm_error, result, refused.
  @Test(
    "T-64 the choice between rewrite and text",
    arguments: [
      (true, " Hello. ", nil, "Hello.", false),
      (true, "Hello.", "timeout", "Hello.", false),
      (true, nil, nil, " um hello ", false),
      (true, nil, "timeout", " um hello ", false),
      (true, " \n", nil, " um hello ", false),
      (true, "…", nil, " um hello ", true),
      (true, "like a pirate", nil, " um hello ", true),
      (false, "Hello.", nil, " um hello ", false),
      (false, "like a pirate", "error", " um hello ", false),
      (false, nil, nil, " um hello ", false),
    ] as [(Bool, String?, String?, String, Bool)])
  func choice(isEnhanced: Bool, rewrite: String?, error: String?, text: String, isRefused: Bool) {
    let response = DictationResponse(text: " um hello ", llmResponse: rewrite, llmError: error)
    let choice = TranscriptChoice(response, isEnhanced: isEnhanced, instruction: instruction)
    #expect(choice.text == text)
    #expect(choice.isRewriteRefused == isRefused)
  }
}
