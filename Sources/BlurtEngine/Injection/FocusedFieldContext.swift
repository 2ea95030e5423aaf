/// What is known about the focused field (C-79…C-87).
public struct FocusedFieldContext: Sendable, Hashable {
  /// The most characters of a window's title (C-80).
  public static let windowTitleLimit = 120
  /// The most characters of a label (C-81).
  public static let fieldLabelLimit = 80
  /// The most characters before the caret, the last ones (C-82).
  public static let priorTextLimit = 320
  /// The most characters of a selection, the first ones (C-83).
  public static let selectedTextLimit = 320

  public var windowTitle: String?
  public var fieldLabel: String?
  /// The text before the caret. Nil: unreadable. Empty: readable, and nothing is there (C-91).
  public var priorText: String?
  public var selectedText: String?
  public var isSecure: Bool
  /// Whether text can be put there (C-61); nil where that is not known, which counts as yes.
  public var isEditable: Bool?

  public init(
    windowTitle: String? = nil, fieldLabel: String? = nil, priorText: String? = nil, selectedText: String? = nil,
    isSecure: Bool = false, isEditable: Bool? = nil
  ) {
    self.windowTitle = windowTitle
    self.fieldLabel = fieldLabel
    self.priorText = priorText
    self.selectedText = selectedText
    self.isSecure = isSecure
    self.isEditable = isEditable
  }

  /// The same within its limits. Of a secure field no text is left (C-88), and a text that nobody can see, which editors put
  /// into empty fields, counts as an empty one (C-90, C-91).
  public var bounded: FocusedFieldContext {
    var field = self
    field.windowTitle = Self.nonEmpty(windowTitle?.prefix(Self.windowTitleLimit))
    field.fieldLabel = isSecure ? nil : Self.nonEmpty(fieldLabel?.prefix(Self.fieldLabelLimit))
    field.selectedText = isSecure ? nil : Self.nonEmpty(selectedText?.prefix(Self.selectedTextLimit))
    field.priorText =
      isSecure ? nil : priorText.map { Self.isInvisible($0) ? "" : String($0.suffix(Self.priorTextLimit)) }
    return field
  }

  private static func nonEmpty(_ text: Substring?) -> String? { text.flatMap { $0.isEmpty ? nil : String($0) } }

  private static func isInvisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.isDefaultIgnorableCodePoint }
  }
}
