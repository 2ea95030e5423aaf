/// Rows of two fields with a tab or a comma between them, with quotation marks as in RFC 4180.
enum DelimitedText {
  /// The rows of a text. A field in quotation marks may hold the delimiter, newlines, and quotation marks written twice.
  /// Empty lines are skipped. An open quotation mark reaches to the end.
  static func rows(_ text: String, delimiter: Character) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    var index = text.startIndex
    func endRow() {
      row.append(field)
      if row != [""] { rows.append(row) }
      (row, field) = ([], "")
    }
    while index < text.endIndex {
      let character = text[index]
      index = text.index(after: index)
      if isQuoted {
        if character != "\"" {
          field.append(character)
        } else if index < text.endIndex, text[index] == "\"" {
          field.append("\"")
          index = text.index(after: index)
        } else {
          isQuoted = false
        }
      } else if character == "\"" && field.isEmpty {
        isQuoted = true
      } else if character == delimiter {
        row.append(field)
        field = ""
      } else if character.isNewline {
        endRow()
      } else {
        field.append(character)
      }
    }
    endRow()
    return rows
  }

  /// Rows as lines, without the last newline.
  static func text(_ rows: [[String]], delimiter: Character) -> String {
    rows.map { row in row.map { quoted($0, delimiter) }.joined(separator: String(delimiter)) }.joined(separator: "\n")
  }

  private static func quoted(_ field: String, _ delimiter: Character) -> String {
    let needsQuotes =
      field.contains { $0 == delimiter || $0 == "\"" || $0.isNewline } || field.first?.isWhitespace == true
      || field.last?.isWhitespace == true
    return needsQuotes
      ? "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" : field
  }
}
