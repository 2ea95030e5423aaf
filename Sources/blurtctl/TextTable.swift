/// Columns of text, the last one cut to what the line has left.
struct TextTable {
  /// No column but the last is wider.
  private static let widestColumn = 32

  private var rows: [[String]] = []

  /// Every row has as many cells as the first. A mark stands before the first one; an unmarked row beside marked ones
  /// has blanks there.
  mutating func add(_ cells: [String], mark: String = "") {
    var cells = cells.map(TerminalText.line)
    if !cells.isEmpty { cells[0] = mark + cells[0] }
    rows.append(cells)
  }

  /// The lines, joined, with no line wider than that.
  func text(width: Int) -> String { lines(width: width).joined(separator: "\n") }

  /// A line for each row, none wider than that.
  func lines(width: Int) -> [String] {
    guard let count = rows.map(\.count).max() else { return [] }
    let widths = (0..<count).map { column in
      min(Self.widestColumn, rows.map { column < $0.count ? TerminalText.width($0[column]) : 0 }.max() ?? 0)
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated().dropLast() where widths[column] > 0 {
        let cell = TerminalText.cut(cell, to: widths[column])
        line += cell + String(repeating: " ", count: widths[column] - TerminalText.width(cell) + 2)
      }
      line = TerminalText.cut(line + (row.last ?? ""), to: width)
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
