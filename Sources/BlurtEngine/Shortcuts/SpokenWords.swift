/// A text as words of letters and digits, and what stands between them (P-40…P-42).
struct SpokenWords {
  struct Word {
    /// In one case, so that equal letters are equal (P-41).
    let letters: [Character]
    let range: Range<String.Index>
    /// A sentence ends between the word before and this one (P-42).
    let startsSentence: Bool
    /// The end of a contraction, as the `t` of `don't`: part of the word before.
    let isEnclitic: Bool
  }

  let text: String
  private(set) var words: [Word] = []

  init(_ text: String) {
    self.text = text
    var end = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      guard Self.isLetter(text[index]) else {
        index = text.index(after: index)
        continue
      }
      let start = index
      var letters: [Character] = []
      while index < text.endIndex, Self.isLetter(text[index]) {
        Self.fold(text[index], into: &letters)
        index = text.index(after: index)
      }
      let gap = text[end..<start]
      let follows = !words.isEmpty && (gap == "'" || gap == "\u{2019}")
      words.append(
        Word(
          letters: letters, range: start..<index, startsSentence: !words.isEmpty && Self.hasSentenceBreak(gap),
          isEnclitic: follows && Self.enclitics.contains(letters)))
      end = index
    }
  }

  /// The ends of English contractions.
  private static let enclitics: Set<[Character]> = [["s"], ["t"], ["m"], ["d"], ["l", "l"], ["r", "e"], ["v", "e"]]

  /// The end of a possessive, after which the word before is a whole word still: `Acme's`.
  static let possessive: [Character] = ["s"]

  static func isLetter(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  /// P-42: one of `. , ! ? ; :` with white space right after it.
  private static func hasSentenceBreak(_ gap: Substring) -> Bool {
    var follows = false
    for character in gap {
      if follows && character.isWhitespace { return true }
      follows = isSentenceMark(character)
    }
    return false
  }

  /// The marks of P-42.
  private static func isSentenceMark(_ character: Character) -> Bool {
    switch character {
    case ".", ",", "!", "?", ";", ":": true
    default: false
    }
  }

  /// Appends a letter without its case. There and back again, since some letters have several small forms (σ, ς) or a
  /// capital form of two letters (ß, SS); a dotted capital İ is an i.
  private static func fold(_ letter: Character, into letters: inout [Character]) {
    if let ascii = letter.asciiValue {
      letters.append(
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(ascii) ? Character(Unicode.Scalar(ascii + 32)) : letter)
      return
    }
    let folded = letter.lowercased().uppercased().lowercased()
    letters += folded == "i\u{307}" ? ["i"] : Array(folded)
  }
}
