/// What is known about the focused field (C-79…C-87).
public struct FocusedFieldContext: Sendable, Hashable {
  public var windowTitle: String?
  public var fieldLabel: String?
  /// The text before the caret. Nil: unreadable. Empty: readable, and nothing is there (C-91).
  public var priorText: String?
  public var selectedText: String?
  public var isSecure: Bool

  public init(
    windowTitle: String? = nil, fieldLabel: String? = nil, priorText: String? = nil, selectedText: String? = nil,
    isSecure: Bool = false
  ) {
    self.windowTitle = windowTitle
    self.fieldLabel = fieldLabel
    self.priorText = priorText
    self.selectedText = selectedText
    self.isSecure = isSecure
  }
}

/// The two questions a host answers about the focus (C-96). Both run off the session's path.
public struct HostFocusCapture: Sendable {
  /// The frontmost target, or nil where there is none. Must answer quickly: it is awaited by the press.
  public var frontmost: @Sendable () async -> CapturedFocus?
  /// The focused field of that target. May hang: the session waits at most `contextWaitBudget` for it (S-58).
  public var fieldContext: @Sendable (CapturedFocus?) async -> FocusedFieldContext?

  public init(
    frontmost: @escaping @Sendable () async -> CapturedFocus?,
    fieldContext: @escaping @Sendable (CapturedFocus?) async -> FocusedFieldContext?
  ) {
    self.frontmost = frontmost
    self.fieldContext = fieldContext
  }

  /// Knows nothing: every paste goes where the focus is.
  public static let none = HostFocusCapture(frontmost: { nil }, fieldContext: { _ in nil })
}
