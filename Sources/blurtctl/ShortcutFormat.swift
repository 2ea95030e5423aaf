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
    case .json: return Exchange.text(.array(list.shortcuts.map(\.json)))
    case .tsv, .csv:
      let rows = list.shortcuts.map { [$0.trigger, $0.expansion] }
      // A first shortcut that looks like a header would be skipped by an import.
      let header = rows.first.map { Self.isHeader($0) } == true ? [Self.header] : []
      return DelimitedText.text(header + rows, delimiter: delimiter)
    }
  }

  /// The entries of a text; nil for one that is no shortcut.
  func entries(_ text: String, file: String) throws(VerbError) -> [Shortcut?] {
    switch self {
    case .json: return try Exchange.list(text, file: file).map { Shortcut($0) }
    case .tsv, .csv:
      var rows: [DelimitedText.Row]
      do throws(DelimitedText.OpenQuotation) {
        rows = try DelimitedText.rows(text, delimiter: delimiter)
      } catch {
        throw .found(
          "\(file), line \(error.line): a quotation mark is opened and never closed. Nothing was changed.", .badFile,
          .usage)
      }
      if let first = rows.first, Self.isHeader(first.fields) { rows.removeFirst() }
      if self == .csv, let first = rows.first, rows.allSatisfy(\.hasSemicolon) {
        throw .found(
          "\(file), line \(first.line): a semicolon stands where a comma must: save the file with commas or tabs. "
            + "Nothing was changed.", .badFile, .usage)
      }
      return rows.map { row in
        row.fields.count == 2 ? Shortcut(trigger: row.fields[0], expansion: row.fields[1]) : nil
      }
    }
  }

  private static let header = ["trigger", "expansion"]

  /// Whether a row names the columns, as the files of other programs begin.
  private static func isHeader(_ row: [String]) -> Bool {
    row.map { Trimming.trimmed($0).lowercased() } == header
      || row.map { Trimming.trimmed($0).lowercased() } == ["trigger;expansion"]
  }

  private var delimiter: Character { self == .csv ? "," : "\t" }
}
