/// Refuses a rewrite that does not come from what was said (T-65).
///
/// A fast model answers an emptied transcript ("Yeah.") with the style text, word for word and without an error.
public enum RewriteGrounding {
  /// Whether the rewrite may be shown. `instruction` is the exact string of this request, base and style (T-65c).
  public static func isGrounded(rewrite: String, transcript: String, instruction: String?) -> Bool {
    let words = words(of: rewrite)
    guard !words.isEmpty else { return false }
    guard let instruction, contains(Self.words(of: instruction), run: words) else { return true }
    return contains(Self.words(of: transcript), run: words)
  }

  /// Lower-cased runs of letters and digits, so that quoting, case and punctuation hide nothing (T-65a).
  static func words(of text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  private static func contains(_ words: [String], run: [String]) -> Bool {
    guard run.count <= words.count else { return false }
    return (0...(words.count - run.count)).contains { words[$0..<($0 + run.count)].elementsEqual(run) }
  }
}
