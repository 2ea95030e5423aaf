/// Decides whether a space goes between the text before the caret and the text that is about to be pasted (C-56…C-59).
///
/// A value type: the injector asks for the final text before a paste and reports each paste that succeeded.
public struct InsertionSeparator: Sendable, Hashable {
  /// The identity of a window as far as the separator is concerned (C-57).
  public struct Window: Sendable, Hashable {
    /// Nil where the process is not known.
    public let processID: Int32?
    /// Nil where the title is not known.
    public let title: String?
    /// The display's number for the window; it stands for the process of a program that does not tell it.
    public let windowID: UInt64?

    public init(processID: Int32?, title: String?, windowID: UInt64? = nil) {
      self.processID = processID
      self.title = title
      self.windowID = windowID
    }

    /// A window of which nothing is known. It is the same as no other, not even as itself.
    public static let unknown = Window(processID: nil, title: nil)

    /// Whether both are known to be the same window: process and title known, and equal.
    ///
    /// Where neither tells its process, the same window of the display. Marks of a changed document, which come with the
    /// paste itself, make no other title.
    public func isSame(as other: Window) -> Bool {
      guard let title, let otherTitle = other.title, title == otherTitle || Self.isSameDocument(title, otherTitle)
      else {
        return false
      }
      if let processID { return processID == other.processID }
      return other.processID == nil && windowID != nil && windowID == other.windowID
    }

    /// Apart from the stars and dots that editors put into the title of a document that is not saved.
    private static func isSameDocument(_ title: String, _ other: String) -> Bool {
      let words = unmarked(title)
      return !words.isEmpty && words == unmarked(other)
    }

    private static func unmarked(_ title: String) -> [Substring] {
      title.filter { !marks.contains($0) }.split { $0.isWhitespace }
    }

    private static let marks: Set<Character> = ["*", "•", "●", "∙"]
  }

  private var lastText: String?
  private var lastWindow = Window.unknown

  public init() {}

  /// The text with its leading separator, where one is needed (C-58).
  ///
  /// `priorText` is what stands before the caret: nil when it could not be read, empty when nothing is there.
  public func finalText(_ text: String, after priorText: String?, in window: Window) -> String {
    let basis = priorText ?? (window.isSame(as: lastWindow) ? lastText : nil)
    guard let last = basis?.unicodeScalars.last, let first = text.unicodeScalars.first,
      !last.properties.isWhitespace, !first.properties.isWhitespace
    else { return text }
    return " " + text
  }

  /// Remembers the final text of a successful paste. It replaces what was remembered before, also for another window.
  public mutating func remember(_ finalText: String, in window: Window) {
    lastText = finalText
    lastWindow = window
  }
}
