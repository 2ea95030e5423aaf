/// The user's key terms for a Whisper-like server, which knows no list of words: it takes a text that might have come before.
public enum OpenAIPrompt {
  /// The most UTF-8 bytes. Such models read the last 224 tokens and drop what is before; a token has 3 bytes or more.
  public static let byteLimit = 600

  /// Whole terms in the user's order, up to the first that does not fit, and how many they are.
  public static func make(_ terms: [String]) -> (text: String, terms: [String]) {
    var chosen: [String] = []
    var byteCount = 1
    for term in terms.lazy.compactMap(\.trimmedNonEmpty) {
      // A comma and a space between two of them, a full stop at the end.
      byteCount += term.utf8.count + (chosen.isEmpty ? 0 : 2)
      guard byteCount <= byteLimit else { break }
      chosen.append(term)
    }
    return (chosen.isEmpty ? "" : chosen.joined(separator: ", ") + ".", chosen)
  }
}
