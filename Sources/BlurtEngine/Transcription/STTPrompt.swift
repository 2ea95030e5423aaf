internal import AssemblyAI

/// The text that tells the recogniser what was said just before (T-36…T-44).
///
/// Only earlier dictations and the text before the caret go in: no label, no instruction, nothing about the screen
/// (T-44). Shortcut expansions in the prior text have been replaced before it comes here (T-36).
public enum STTPrompt {
  /// The most Unicode scalars (T-28).
  public static let scalarLimit = DictationConfig.sttPromptScalarLimit

  /// The prompt, empty where there is nothing to say. `history` is oldest first.
  public static func make(history: [String], priorText: String?) -> String {
    var entries = history.compactMap(\.trimmedNonEmpty)
    if let prior = priorText?.trimmedNonEmpty {
      dropEntriesEnding(prior, from: &entries)
      entries.append(prior)
    }
    return fit(entries)
  }

  /// T-38: what stands in the field already is not said twice.
  private static func dropEntriesEnding(_ prior: String, from history: inout [String]) {
    var rest = Substring(prior)
    while let newest = history.last, rest.hasSuffix(newest) {
      history.removeLast()
      rest.removeLast(newest.count)
      while rest.last?.isWhitespace == true { rest.removeLast() }
    }
  }

  /// T-40, T-41: the longest run of newest entries that fits, joined by line feeds.
  private static func fit(_ entries: [String]) -> String {
    guard let newest = entries.last else { return "" }
    // One scalar more than the limit tells "too long" without counting a whole document.
    let tail = newest.unicodeScalars.suffix(scalarLimit + 1)
    if tail.count > scalarLimit { return String(Substring(tail.dropFirst())) }
    var chosen = [newest]
    var room = scalarLimit - tail.count
    for entry in entries.dropLast().reversed() {
      let needed = entry.unicodeScalars.count + 1
      guard needed <= room else { break }
      room -= needed
      chosen.append(entry)
    }
    return chosen.reversed().joined(separator: "\n")
  }
}
