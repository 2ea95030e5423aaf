internal import BlurtOS

/// The clipboard and the primary selection, through wl-copy and wl-paste. Every call blocks.
struct WaylandClipboard: Sendable {
  enum Selection: Sendable, Hashable, CaseIterable {
    case clipboard
    case primary

    fileprivate var arguments: [String] { self == .primary ? ["--primary"] : [] }
  }

  /// What a selection held before a paste (C-50, C-51).
  enum Snapshot: Sendable, Hashable {
    case empty
    /// wl-copy can offer one form only; for text it offers every name that text has. Not whole: there were others.
    case content(type: String, bytes: [UInt8], isWhole: Bool)
    /// It could not be read; it must not be treated as empty.
    case unknown(WaylandNotice)
  }

  static let textType = "text/plain;charset=utf-8"
  /// Whoever offers this does not want its content in a history; wl-copy could not offer it again.
  private static let secretHint = "x-kde-passwordManagerHint"
  /// Names of text that are no media types.
  private static let oldTextTypes: Set<String> = ["UTF8_STRING", "STRING", "TEXT", "COMPOUND_TEXT"]
  /// Targets of X11 that are no content.
  private static let metaTypes: Set<String> = ["TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE"]

  let tools: WaylandTools
  let byteLimit: Int

  var isInstalled: Bool { tools.find("wl-copy") != nil && tools.find("wl-paste") != nil }

  /// Reads what is there, until the deadline. `held` is what the compositor says; nil where it does not.
  func snapshot(_ selection: Selection, held: Set<Selection>?, until deadline: Duration) -> Snapshot {
    if let held, !held.contains(selection) { return .empty }
    guard let list = tools.run("wl-paste", selection.arguments + ["--list-types"], within: left(deadline)) else {
      return .unknown(.oldClipboardUnreadable)
    }
    guard let status = list.status else { return .unknown(.oldClipboardSilent) }
    guard status == 0 else {
      // Any other failure says nothing about what is there (C-50).
      let said = String(decoding: list.errorTail, as: UTF8.self)
      return said.contains("No selection") || said.contains("Nothing is copied")
        ? .empty : .unknown(.oldClipboardUnreadable)
    }
    let types = String(decoding: list.output, as: UTF8.self).split(separator: "\n").map(String.init)
    guard let type = Self.preferred(types) else { return .unknown(.oldClipboardUnreadable) }
    let arguments = selection.arguments + ["--no-newline", "--type", type]
    let content = tools.run("wl-paste", arguments, within: left(deadline), outputLimit: byteLimit)
    guard let content else { return .unknown(.oldClipboardUnreadable) }
    guard !content.isCutShort else { return .unknown(.oldClipboardTooLarge) }
    switch content.status {
    case nil: return .unknown(.oldClipboardSilent)
    case 0?:
      return .content(
        type: Self.oldTextTypes.contains(type) ? Self.textType : type, bytes: content.output,
        isWhole: Self.isWhole(type, of: types))
    default: return .unknown(.oldClipboardUnreadable)
    }
  }

  /// The form to keep where there are several (C-52): files, then text, then an image, then whatever comes first. Nil where
  /// there is none, or none that may be kept.
  static func preferred(_ types: [String]) -> String? {
    guard !types.contains(secretHint) else { return nil }
    let types = types.filter { !metaTypes.contains($0) }
    let wishes: [(String) -> Bool] = [
      { $0 == "text/uri-list" }, { $0.lowercased() == textType }, { $0 == "UTF8_STRING" }, { $0 == "text/plain" },
      { oldTextTypes.contains($0) }, { $0 == "image/png" }, { $0.hasPrefix("image/") },
    ]
    for wish in wishes { if let type = types.first(where: wish) { return type } }
    return types.first
  }

  /// Whether one form says all that the others say: names of the same text, or formats of the same picture.
  static func isWhole(_ type: String, of types: [String]) -> Bool {
    let isText = { (type: String) in oldTextTypes.contains(type) || type.lowercased().hasPrefix("text/plain") }
    let isPicture = { (type: String) in type.hasPrefix("image/") }
    return types.allSatisfy { other in
      other == type || metaTypes.contains(other) || isText(type) && isText(other) || isPicture(type) && isPicture(other)
    }
  }

  /// Offers bytes. wl-copy leaves a process of its own behind that serves them until somebody else copies; it is nobody's
  /// child. On failure the last line that it said.
  func offer(_ bytes: [UInt8], type: String = textType, on selection: Selection) -> String? {
    guard let result = tools.run("wl-copy", selection.arguments + ["--type", type], input: bytes) else {
      return "wl-copy cannot be run"
    }
    guard result.status != 0 else { return nil }
    guard result.status != nil else { return "wl-copy did not answer in time" }
    let said = String(decoding: result.errorTail, as: UTF8.self).split(separator: "\n").last.map(String.init)
    return said ?? "wl-copy failed"
  }

  func clear(_ selection: Selection) { _ = tools.run("wl-copy", selection.arguments + ["--clear"]) }

  /// Whether whoever pastes now would get this text: the word of the compositor, not of wl-copy (B-56).
  func holds(_ text: [UInt8], on selection: Selection, until deadline: Duration) -> Bool {
    let result = tools.run(
      "wl-paste", selection.arguments + ["--no-newline", "--type", Self.textType], within: left(deadline),
      outputLimit: text.count + 1)
    return result?.status == 0 && result?.output == text
  }

  private func left(_ deadline: Duration) -> Duration {
    min(tools.limit, max(.milliseconds(1), deadline - MonotonicClock.now()))
  }
}
