/// Everything known about a dictation when its request opens (C-79…C-87). Only `priorText`, `recentTranscripts`,
/// `keyTerms` and `styleInstructions` ever leave the machine.
public struct TranscriptionContext: Sendable, Hashable {
  public var appName: String?
  public var windowTitle: String?
  public var fieldLabel: String?
  /// The text before the caret, raw. Empty and nil differ: an empty field was readable.
  public var priorText: String?
  public var selectedText: String?
  /// Spoken texts, oldest first (S-96).
  public var recentTranscripts: [String]
  public var keyTerms: [String]
  public var styleInstructions: String?
  public var isSecureTarget: Bool

  public init(
    appName: String? = nil, windowTitle: String? = nil, fieldLabel: String? = nil, priorText: String? = nil,
    selectedText: String? = nil, recentTranscripts: [String] = [], keyTerms: [String] = [],
    styleInstructions: String? = nil, isSecureTarget: Bool = false
  ) {
    self.appName = appName
    self.windowTitle = windowTitle
    self.fieldLabel = fieldLabel
    self.priorText = priorText
    self.selectedText = selectedText
    self.recentTranscripts = recentTranscripts
    self.keyTerms = keyTerms
    self.styleInstructions = styleInstructions
    self.isSecureTarget = isSecureTarget
  }

  /// S-61: nothing in it that a request or a decision could use.
  public var isEmpty: Bool {
    appName == nil && windowTitle == nil && fieldLabel == nil && priorText == nil && selectedText == nil
      && recentTranscripts.isEmpty && keyTerms.isEmpty && styleInstructions == nil && !isSecureTarget
  }
}
