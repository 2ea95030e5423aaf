/// Takes out of a decoded text what is not spoken: markers such as `[BLANK_AUDIO]` and notes such as ♪.
package enum TranscriptCleaner {
  /// The joined lines, with single spaces and none at the ends.
  package static func clean(_ lines: [String]) -> String {
    let text = lines.map(withoutMarkers).joined(separator: " ")
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func withoutMarkers(_ line: String) -> String {
    var text = ""
    var rest = Substring(line)
    while let character = rest.first {
      if character == "[", let end = rest.firstIndex(of: "]"), isMarker(rest[rest.index(after: rest.startIndex)..<end])
      {
        rest = rest[rest.index(after: end)...]
        text.append(" ")
        continue
      }
      if !"♪♫♬♩".contains(character) { text.append(character) }
      rest.removeFirst()
    }
    return text
  }

  /// Capitals, underscores and spaces only: a person who dictates brackets gets small letters in them.
  private static func isMarker(_ word: Substring) -> Bool {
    !word.isEmpty && word.contains(where: \.isLetter)
      && word.allSatisfy { ($0.isASCII && $0.isUppercase) || $0 == "_" || $0 == " " }
  }
}
