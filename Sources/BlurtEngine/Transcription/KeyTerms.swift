internal import AssemblyAI

/// The user's own words for the recogniser, fitted to the service's caps (T-52…T-54).
public enum KeyTerms {
  /// The most UTF-8 bytes of all terms together, without separators (T-29, T-53).
  public static let byteLimit = DictationConfig.keyTermsByteLimit
  /// The most terms (T-29).
  public static let countLimit = DictationConfig.keyTermsCountLimit

  /// Whole terms in the user's order, up to the first that does not fit. Later, shorter ones are not tried.
  public static func fit(_ terms: [String]) -> [String] {
    var chosen: [String] = []
    var byteCount = 0
    for term in terms.lazy.compactMap(\.trimmedNonEmpty) {
      byteCount += term.utf8.count
      guard byteCount <= byteLimit, chosen.count < countLimit else { break }
      chosen.append(term)
    }
    return chosen
  }
}
