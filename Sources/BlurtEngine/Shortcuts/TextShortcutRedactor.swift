/// Takes the user's expansions out of text that is about to be sent (P-45, P-52).
public struct TextShortcutRedactor: Sendable {
  /// The fewest characters of an expansion without its head that are still known as it.
  public static let shortestTail = 4

  /// A stretch of text: still to be searched, or a trigger that was put in.
  private enum Piece {
    case text(ArraySlice<Character>)
    case trigger(String)
  }

  /// The longest expansion first; of equally long ones the earlier.
  private let shortcuts: [(expansion: [Character], trigger: String)]

  /// Shortcuts that cannot be used are left out, as the store does.
  public init(_ shortcuts: [TextShortcut]) {
    // A field may keep less white space than was pasted, never less of the text.
    let known = TextShortcutStore.normalise(shortcuts).enumerated().map { rank, shortcut in
      (rank: rank, expansion: Array(shortcut.expansion.trimmingWhitespace()), trigger: shortcut.trigger)
    }
    self.shortcuts = known.sorted { ($1.expansion.count, $0.rank) < ($0.expansion.count, $1.rank) }
      .map { ($0.expansion, $0.trigger) }
  }

  /// The text before the caret with each literal expansion replaced by its trigger, the longest first.
  ///
  /// The text is the tail of a longer one: the end of an expansion at its very start is replaced as well, from four
  /// characters on. What was put in is not searched again.
  public func redact(_ text: String) -> String {
    guard !shortcuts.isEmpty, !text.isEmpty else { return text }
    var rest = Array(text)[...]
    var pieces: [Piece] = []
    if let (count, trigger) = clippedExpansion(at: rest) {
      pieces.append(.trigger(trigger))
      rest = rest.dropFirst(count)
    }
    pieces.append(.text(rest))
    for shortcut in shortcuts {
      pieces = pieces.flatMap { piece in
        switch piece {
        case .text(let text): Self.split(text, by: shortcut.expansion, puttingIn: shortcut.trigger)
        case .trigger: [piece]
        }
      }
    }
    return pieces.reduce(into: "") { result, piece in
      switch piece {
      case .text(let text): result += String(text)
      case .trigger(let trigger): result += trigger
      }
    }
  }

  /// The longest end of an expansion that the text begins with, unless a whole one there is as long.
  private func clippedExpansion(at text: ArraySlice<Character>) -> (count: Int, trigger: String)? {
    var best: (count: Int, trigger: String)?
    var longestWhole = 0
    for (expansion, trigger) in shortcuts {
      if text.starts(with: expansion) { longestWhole = max(longestWhole, expansion.count) }
      for count in stride(from: min(expansion.count - 1, text.count), through: Self.shortestTail, by: -1) {
        if count <= best?.count ?? 0 { break }
        if text.starts(with: expansion.suffix(count)) {
          best = (count, trigger)
          break
        }
      }
    }
    guard let best, best.count > longestWhole else { return nil }
    return best
  }

  private static func split(
    _ text: ArraySlice<Character>, by expansion: [Character], puttingIn trigger: String
  ) -> [Piece] {
    var pieces: [Piece] = []
    var (start, index) = (text.startIndex, text.startIndex)
    while index + expansion.count <= text.endIndex {
      guard text[index] == expansion[0], text[index...].starts(with: expansion) else {
        index += 1
        continue
      }
      pieces += [.text(text[start..<index]), .trigger(trigger)]
      index += expansion.count
      start = index
    }
    return pieces + [.text(text[start...])]
  }
}
