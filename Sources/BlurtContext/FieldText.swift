internal import BlurtEngine

/// What of a text is asked for, and what of the answer is used. Offsets are the program's own: whether it counts scalars, as
/// AT-SPI says, or UTF-16 units, as Qt does, they go back to where they came from (C-89).
enum FieldText {
  /// Where the slice before an offset begins.
  static func start(before offset: Int32) -> Int32 {
    max(0, offset - Int32(FocusedFieldContext.priorTextLimit * ContextLimits.scalarsPerCharacter))
  }

  /// Where the slice of a selection ends.
  static func end(ofSelectionFrom start: Int32, to end: Int32) -> Int32 {
    min(end, start + Int32(FocusedFieldContext.selectedTextLimit * ContextLimits.scalarsPerCharacter))
  }

  /// Where the text before the caret ends: before a selection, since a paste replaces it. A caret beyond the end counts as
  /// the end (C-89); nil where there is no caret.
  static func end(caret: Int32, count: Int32, selectionStart: Int32?) -> Int32? {
    guard caret >= 0, count >= 0 else { return nil }
    return max(0, min(caret, count, selectionStart ?? .max))
  }

  /// The text before the caret from a slice that ends there. `isWhole`: the slice begins where the text begins.
  ///
  /// Nil where nothing but objects stands there: their texts are elsewhere.
  static func prior(_ slice: String, isWhole: Bool) -> String? {
    var text = Substring(slice)
    if !isWhole {
      // Cut between the two halves of a scalar, which then came as a mark for what cannot be shown.
      if text.unicodeScalars.first == "\u{FFFD}" { text.unicodeScalars.removeFirst() }
      // The first character may have begun before the slice.
      if text.count <= FocusedFieldContext.priorTextLimit { text = text.dropFirst() }
    }
    if text.unicodeScalars.contains("\u{FFFC}"),
      text.unicodeScalars.allSatisfy({ $0 == "\u{FFFC}" || $0.properties.isWhitespace })
    {
      return nil
    }
    return String(text.suffix(FocusedFieldContext.priorTextLimit))
  }
}
