package import BlurtEngine

/// What came of the question about the focused field.
package enum FieldReading: Sendable, Hashable {
  /// Nobody can be asked: there is no library, no accessibility bus, or nobody on it (C-95).
  case noService
  /// The window's program is not on the bus, or nothing in it has the focus. That is no secure field (C-95).
  case nothing
  /// Something has the focus, and what it is could not be found out; the call that failed (C-88).
  case unknown(String)
  case field(FocusedFieldContext)

  /// What a session makes of it. In doubt the field is secure: nothing of it is known, nothing is remembered.
  package func context(windowTitle: String?) -> FocusedFieldContext? {
    switch self {
    case .noService, .nothing: return windowTitle.map { FocusedFieldContext(windowTitle: $0) }
    case .unknown: return FocusedFieldContext(windowTitle: windowTitle, isSecure: true)
    case .field(var field):
      field.windowTitle = windowTitle
      return field
    }
  }
}
