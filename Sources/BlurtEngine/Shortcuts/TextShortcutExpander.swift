/// Replaces spoken triggers by their expansions (P-41…P-44).
///
/// Made once for a set of shortcuts, then good for any number of texts. A look at a word costs a search among the sorted
/// triggers, so that a text takes time in proportion to its length.
public struct TextShortcutExpander: Sendable {
  /// A trigger, ready to be found.
  private struct Trigger {
    /// All its words together, in one case.
    let letters: [Character]
    /// The places in `letters` where the text may be split into words.
    let splits: Set<Int>
    let expansion: String
    /// Its place in the user's list.
    let rank: Int
  }

  /// Sorted by letters; of those with the same letters, the one with more words first, then the earlier one.
  private let triggers: [Trigger]

  /// Shortcuts that cannot be used are left out, as the store does.
  public init(_ shortcuts: [TextShortcut]) {
    triggers = TextShortcutStore.normalise(shortcuts).enumerated().map { rank, shortcut in
      var (letters, splits): ([Character], Set<Int>) = ([], [])
      for word in SpokenWords(shortcut.trigger).words {
        splits.insert(letters.count)
        letters += word.letters
      }
      return Trigger(letters: letters, splits: splits, expansion: shortcut.expansion, rank: rank)
    }.sorted { one, other in
      if one.letters != other.letters { return one.letters.lexicographicallyPrecedes(other.letters) }
      return (other.splits.count, one.rank) < (one.splits.count, other.rank)
    }
  }

  /// The text with each trigger replaced, in one pass, the longest first where several begin at one word.
  public func expand(_ text: String) -> String {
    var stepCount = 0
    return expand(text, stepCount: &stepCount)
  }

  /// The same, counting the letters that were compared.
  func expand(_ text: String, stepCount: inout Int) -> String {
    guard !triggers.isEmpty else { return text }
    let spoken = SpokenWords(text)
    let words = spoken.words
    var result = ""
    var written = text.startIndex
    var index = 0
    while index < words.count {
      guard let (trigger, count) = longestMatch(in: words[index...], stepCount: &stepCount) else {
        index += 1
        continue
      }
      let range = words[index].range.lowerBound..<words[index + count - 1].range.upperBound
      if count == words.count, let rest = Self.restAfterClosing(text, range) {
        return "\(text[..<range.lowerBound])\(trigger.expansion)\(rest)"
      }
      result += text[written..<range.lowerBound]
      result += trigger.expansion
      written = range.upperBound
      index += count
    }
    result += text[written...]
    return result
  }

  /// The longest trigger that begins with the first of these words, and how many words it takes.
  private func longestMatch(
    in words: ArraySlice<SpokenWords.Word>, stepCount: inout Int
  ) -> (Trigger, wordCount: Int)? {
    guard let first = words.first, !first.isEnclitic else { return nil }
    var found: (Trigger, wordCount: Int)?
    var candidates = triggers[...]
    var letterCount = 0
    var splits: [Int] = []
    for (index, word) in zip(words.indices, words) {
      if index > words.startIndex, word.startsSentence { break }
      splits.append(letterCount)
      candidates = Self.narrowed(candidates, by: word.letters, at: letterCount, stepCount: &stepCount)
      if candidates.isEmpty { break }
      letterCount += word.letters.count
      guard Self.endsWord(word, before: words[(index + 1)...].first) else { continue }
      // The shortest sort first: those that are complete here.
      for candidate in candidates.prefix(while: { $0.letters.count == letterCount }) {
        stepCount += 1
        guard splits.allSatisfy(candidate.splits.contains) else { continue }
        found = (candidate, index - words.startIndex + 1)
        break
      }
    }
    return found
  }

  /// Whether a match may end with a word: not within a contraction, but before the end of a possessive.
  private static func endsWord(_ word: SpokenWords.Word, before next: SpokenWords.Word?) -> Bool {
    guard let next, next.isEnclitic else { return true }
    return next.letters == SpokenWords.possessive
  }

  /// Those of the sorted triggers that have these letters at that place. All of them are alike before it.
  private static func narrowed(
    _ candidates: ArraySlice<Trigger>, by letters: [Character], at place: Int, stepCount: inout Int
  ) -> ArraySlice<Trigger> {
    /// Below, at or above: how a trigger's letters at that place sort beside these.
    func side(of trigger: Trigger, steps: inout Int) -> Int {
      for (offset, letter) in letters.enumerated() {
        steps += 1
        guard place + offset < trigger.letters.count else { return -1 }
        let own = trigger.letters[place + offset]
        if own != letter { return own < letter ? -1 : 1 }
      }
      return 0
    }
    // Where both ends agree, all between them do.
    guard let first = candidates.first, let last = candidates.last else { return candidates }
    if side(of: first, steps: &stepCount) == 0, side(of: last, steps: &stepCount) == 0 { return candidates }
    func firstIndex(notBelow bound: Int) -> Int {
      var (low, high) = (candidates.startIndex, candidates.endIndex)
      while low < high {
        let middle = low + (high - low) / 2
        if side(of: candidates[middle], steps: &stepCount) < bound { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let start = firstIndex(notBelow: 0)
    return candidates[start..<max(start, firstIndex(notBelow: 1))]
  }

  /// P-44: what is kept after a trigger that is the whole text: white space, without the service's closing marks. Nil
  /// where something else stands around it.
  private static func restAfterClosing(_ text: String, _ range: Range<String.Index>) -> Substring? {
    let after = text[range.upperBound...]
    guard text[..<range.lowerBound].allSatisfy(\.isWhitespace),
      after.allSatisfy({ $0.isWhitespace || isClosingMark($0) })
    else { return nil }
    guard let lastMark = after.lastIndex(where: isClosingMark) else { return after }
    return after[after.index(after: lastMark)...]
  }

  private static func isClosingMark(_ character: Character) -> Bool {
    switch character {
    case ".", ",", "!", "?", ";", ":", "…", "。", "、", "，", "！", "？", "；", "：", "।", "؟", "،", "؛": true
    default: false
    }
  }
}
