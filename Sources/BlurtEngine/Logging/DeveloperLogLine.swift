internal import AssemblyAI
internal import FoundationEssentials

/// One line of a developer log (S-99…S-101): a JSON object and a newline, the same bytes for the same event.
///
/// Keys are sorted, what is nil or empty is left out, and texts stand as they were, untrimmed. A line about a dictation
/// holds what was said: it is for the file it names and for no other log.
public struct DeveloperLogLine: Sendable, Hashable {
  public let file: DeveloperLogFile
  /// UTF-8, with its newline.
  public let bytes: [UInt8]

  /// S-99: `stt_prompt` and `keyterms` are what was sent, not what was known.
  public init(_ entry: DictationLogEntry) {
    let context = entry.context
    self.init(
      .dictations,
      [
        "app": Self.literal(context.appName),
        "field": Self.literal(context.fieldLabel),
        "keyterms": Self.literal(entry.transcript.keyTerms),
        "prior": Self.literal(context.priorText),
        "selected": Self.literal(context.selectedText),
        "stt_prompt": Self.literal(entry.transcript.sttPrompt),
        "transcript": Self.literal(entry.transcript.text),
        "ts": Self.literal(Self.timestamp(entry.at)),
        "window": Self.literal(context.windowTitle),
      ])
  }

  /// S-100: names only, since content never explains a failure.
  public init(_ failure: DictationFailure) {
    self.init(
      .errors,
      [
        "app": Self.literal(failure.context?.appName),
        "error": Self.literal(failure.error.description),
        "field": Self.literal(failure.context?.fieldLabel),
        "kind": Self.literal(failure.error.diagnosticName),
        "ts": Self.literal(Self.timestamp(failure.at)),
        "window": Self.literal(failure.context?.windowTitle),
      ])
  }

  private init(_ file: DeveloperLogFile, _ literals: [String: String?]) {
    let members = literals.compactMapValues(\.self).sorted { $0.key < $1.key }
    self.file = file
    bytes = Array(("{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}\n").utf8)
  }

  /// Nil where there is nothing to write.
  private static func literal(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0.jsonLiteral } }

  private static func literal(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : "[" + texts.map(\.jsonLiteral).joined(separator: ",") + "]"
  }

  /// S-101: ISO-8601 in UTC with milliseconds, cut off, not rounded: no line is later than its event.
  private static func timestamp(_ date: Date) -> String {
    // Half a microsecond: what a double loses of a millisecond in these years.
    let milliseconds = ((date.timeIntervalSince1970 + 0.000_000_5) * 1_000).rounded(.down)
    let cut = Date(timeIntervalSince1970: (milliseconds + 0.25) / 1_000)
    return cut.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
