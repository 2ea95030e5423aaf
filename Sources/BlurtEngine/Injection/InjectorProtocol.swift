/// What had the focus when a dictation began (C-33).
public struct CapturedFocus: Sendable, Hashable {
  /// 0 where the window does not tell.
  public let processID: Int32
  /// The name to show.
  public let name: String
  /// The X window id of the top-level window; nil where there is none.
  public let windowID: UInt64?
  /// The window's class (second string of WM_CLASS).
  public let windowClass: String?

  public init(processID: Int32, name: String, windowID: UInt64? = nil, windowClass: String? = nil) {
    self.processID = processID
    self.name = name
    self.windowID = windowID
    self.windowClass = windowClass
  }
}

/// Text into the focused window (C-33…C-47).
public protocol InjectorProtocol: Sendable {
  /// Sets the target of the next insert, at the press. Never blocks.
  func setTarget(_ focus: CapturedFocus?)
  /// Tells that the words of a dictation are on their way, or that no insert of it will follow any more.
  ///
  /// True at key-up, false at the dictation's end, whether it was pasted or not. Between the two an injector may get ready:
  /// what it reads then is not on the way from the words to the window. Never blocks.
  func expectInsert(_ isExpected: Bool)
  /// Pastes text into the target and returns once the chord was posted.
  ///
  /// `priorText` is the text before the caret, nil when it could not be read: it decides on the leading separator.
  /// Throws `CancellationError` when cancelled before the last gate (C-37), `BlurtError.noEditableTarget` or
  /// `.targetAppLost` when the text was left on the clipboard instead, `.accessibilityPermissionMissing` when nothing can
  /// be posted.
  func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws
}

extension InjectorProtocol {
  /// Nothing: an injector that has nothing to get ready.
  public func expectInsert(_ isExpected: Bool) {}
}
