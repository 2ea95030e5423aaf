internal import Glibc
internal import Synchronization

/// Lines for the journal, written to stderr with the priority prefixes that `systemd` reads (`sd-daemon(3)`).
///
/// A message is constant; what varies goes into the fields. Never dictated text, a key code other than the trigger's,
/// or an API key. Any thread may call; a line is one `write`.
package enum Log {
  package enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Someone must act.
    case error = 3
    /// Degraded, works on.
    case warning = 4
    /// Phases, devices, clients.
    case notice = 5
    /// For following along.
    case info = 6
    case debug = 7

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The level by its name, as `BLURT_LOG` gives it.
    package init?(name: String) {
      guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
      self = level
    }
  }

  private static let isTerminal = isatty(2) == 1
  private static let mostVerbose = Atomic<Int>(Level.notice.rawValue)

  /// Lines less urgent than this are not written.
  package static var level: Level {
    get { Level(rawValue: mostVerbose.load(ordering: .relaxed)) ?? .notice }
    set { mostVerbose.store(newValue.rawValue, ordering: .relaxed) }
  }

  package static func error(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.error, message, fields)
  }

  package static func warning(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.warning, message, fields)
  }

  package static func notice(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.notice, message, fields)
  }

  package static func info(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.info, message, fields)
  }

  package static func debug(
    _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    guard level >= .debug else { return }
    write(.debug, message, fields())
  }

  private static func write(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<String, String>) {
    guard level <= self.level else { return }
    let rendered = render(level, "\(message)", fields)
    // People do not read priorities.
    let line = Array(((isTerminal ? String(rendered.dropFirst(3)) : rendered) + "\n").utf8)
    _ = line.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// One line: prefix, message, then `key=value` with quotes where a value needs them.
  package static func render(
    _ level: Level, _ message: String, _ fields: KeyValuePairs<String, String>
  ) -> String {
    var line = "<\(level.rawValue)>\(message)"
    for (key, value) in fields {
      let needsQuotes = value.isEmpty || value.contains { $0 == " " || $0 == "\"" || $0 == "=" || $0.isNewline }
      line += " \(key)="
      line += needsQuotes ? "\"" + value.map { escaped($0) }.joined() + "\"" : value
    }
    return line
  }

  private static func escaped(_ character: Character) -> String {
    if character.isNewline { return "\\n" }
    if character == "\"" || character == "\\" { return "\\\(character)" }
    return String(character)
  }
}
