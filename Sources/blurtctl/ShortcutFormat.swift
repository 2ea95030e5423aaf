internal import BlurtContract

/// The forms in which shortcuts are written to files and read from them.
enum ShortcutFormat: String, CaseIterable {
  case json, tsv, csv

  /// The form that a file's name tells; nil where it tells none.
  init?(file: String) { self.init(rawValue: file.split(separator: ".").last.map { $0.lowercased() } ?? "") }

  /// The form that a text seems to have: a list in JSON begins with a bracket; a tab in the first line tells the rest.
  static func guess(_ text: String) -> ShortcutFormat {
    if text.first(where: { !$0.isWhitespace }) == "[" { return .json }
    return text.prefix { !$0.isNewline }.contains("\t") ? .tsv : .csv
  }

  func text(_ list: ShortcutList) -> String {
    switch self {
    case .json: Exchange.text(.array(list.shortcuts.map(\.json)))
    case .tsv, .csv:
      DelimitedText.text(list.shortcuts.map { [$0.trigger, $0.expansion] }, delimiter: delimiter)
    }
  }

  /// The entries of a text; nil for one that is no shortcut.
  func entries(_ text: String, file: String) throws(VerbError) -> [Shortcut?] {
    switch self {
    case .json: return try Exchange.list(text, file: file).map { Shortcut($0) }
    case .tsv, .csv:
      return DelimitedText.rows(text, delimiter: delimiter).map { row in
        row.count == 2 ? Shortcut(trigger: row[0], expansion: row[1]) : nil
      }
    }
  }

  private var delimiter: Character { self == .csv ? "," : "\t" }
}
