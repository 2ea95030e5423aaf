internal import BlurtContract

/// The files of `export` and `import`.
enum Exchange {
  /// A list as JSON with one entry a line, so that people can read and compare it.
  static func text(_ list: JSONValue) -> String {
    guard case .array(let entries) = list, !entries.isEmpty else { return "[]" }
    return "[\n" + entries.map { "  " + String(decoding: $0.line, as: UTF8.self) }.joined(separator: ",\n") + "\n]"
  }

  /// Writes a text without its last newline, to a file or to the output, where `--json` wants it as one line.
  static func write(
    _ text: String, as list: JSONValue, to file: String?, _ output: Output
  ) throws(VerbError) -> ExitStatus {
    if let file, file != "-" {
      try TextFile.write(text + "\n", to: file)
      output.remark("Written: \(file)")
    } else {
      output.text(text, line: list.line)
    }
    return .done
  }

  /// A file without an entry: whoever means to remove all says so with the command that is named.
  static func empty(_ file: String, _ removal: String?) -> VerbError {
    .found(
      "\(file) has no entries; nothing was changed." + (removal.map { " To remove all: \($0)" } ?? ""), .badFile,
      .failed)
  }

  /// The entries of a JSON list.
  static func list(_ text: String, file: String) throws(VerbError) -> [JSONValue] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(Array(text.utf8))
    } catch {
      throw .found("\(file) cannot be read: \(error.detail).", .badFile, .usage)
    }
    guard case .array(let entries) = value else {
      throw .found("\(file) holds no list: see blurtctl styles export, blurtctl shortcuts export.", .badFile, .usage)
    }
    return entries
  }
}
