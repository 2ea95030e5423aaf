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
