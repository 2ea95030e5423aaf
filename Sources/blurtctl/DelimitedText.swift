/// Rows of two fields with a tab or a comma between them, with quotation marks as in RFC 4180.
enum DelimitedText {
  /// A row and where it stands.
  struct Row: Hashable {
    var fields: [String] = []
    /// From 1.
    var line: Int
    /// Its first field has a semicolon outside of quotation marks: the file may be written with those in between.
    var hasSemicolon = false
  }

  /// A quotation mark that is never closed.
  struct OpenQuotation: Error, Hashable {
    /// Where it stands, from 1.
    let line: Int
  }

  /// The rows of a text. A field in quotation marks may hold the delimiter, newlines, and quotation marks written twice.
  /// Empty lines are skipped.
  static func rows(_ text: String, delimiter: Character) throws(OpenQuotation) -> [Row] {
    var rows: [Row] = []
    var line = 1
    var row = Row(line: 1)
    var field = ""
    var isQuoted = false
    var quotationLine = 1
    var index = text.startIndex
    func endRow() {
      row.fields.append(field)
      if row.fields != [""] { rows.append(row) }
      (row, field) = (Row(line: line), "")
    }
    while index < text.endIndex {
      let character = text[index]
      index = text.index(after: index)
      if character.isNewline { line += 1 }
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
        quotationLine = line
      } else if character == delimiter {
        row.fields.append(field)
        field = ""
      } else if character.isNewline {
        endRow()
      } else {
        if character == ";" && row.fields.isEmpty { row.hasSemicolon = true }
        field.append(character)
      }
    }
    if isQuoted { throw OpenQuotation(line: quotationLine) }
    endRow()
    return rows
  }

  /// Rows as lines, without the last newline.
  static func text(_ rows: [[String]], delimiter: Character) -> String {
    rows.map { row in row.map { quoted($0, delimiter) }.joined(separator: String(delimiter)) }.joined(separator: "\n")
  }

  private static func quoted(_ field: String, _ delimiter: Character) -> String {
    let needsQuotes =
      field.contains { $0 == delimiter || $0 == "\"" || $0 == ";" || $0.isNewline } || field.first?.isWhitespace == true
      || field.last?.isWhitespace == true
    return needsQuotes
      ? "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" : field
  }
}
