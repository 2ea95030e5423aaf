internal import FoundationEssentials

/// The reference of the control protocol (`protocol/README.md`), cut into its sections.
package struct ProtocolReference: Sendable {
  /// What stands under one heading, up to the next one of any level.
  package struct Section: Sendable {
    /// The heading of level 2 that it belongs to, which may be its own.
    package let part: String
    package let title: String
    package let body: String

    /// The lines of its code blocks in a language.
    package func code(_ language: String) -> [String] {
      blocks(language).flatMap { $0.split(separator: "\n").map(String.init) }
    }

    /// Its code blocks in a language.
    package func blocks(_ language: String) -> [String] {
      body.components("\n```\(language)\n").dropFirst().map { String($0.components("\n```").first ?? "") }
    }

    /// The first column of its tables, without the marks of code, several names in one cell taken apart.
    package var rows: [String] {
      body.split(separator: "\n").filter { $0.hasPrefix("| `") || $0.hasPrefix("| [`") }.flatMap { line in
        let cell = line.dropFirst(2).components(" |").first ?? ""
        return cell.components("`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      }
    }
  }

  package let text: String
  package let sections: [Section]

  package init(file: String = #filePath) throws {
    let path = ProtocolTranscript.root(file: file) + "/protocol/README.md"
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    self.text = text
    var sections: [Section] = []
    var (part, title, body) = ("", "", "")
    var isCode = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode && (line.hasPrefix("## ") || line.hasPrefix("### ")) {
        sections.append(Section(part: part, title: title, body: body))
        title = String(line.drop { $0 == "#" }.dropFirst())
        if line.hasPrefix("## ") { part = title }
        body = ""
      } else {
        body += "\n" + line
      }
    }
    self.sections = sections + [Section(part: part, title: title, body: body)]
  }

  /// The section of a command.
  package func command(_ name: String) -> Section? { sections.first { $0.part == "The answer" && $0.title == name } }

  /// The section of an event.
  package func event(_ name: String) -> Section? { sections.first { $0.part == "Events" && $0.title == name } }

  /// The section under a heading of level 2.
  package func part(_ title: String) -> Section? { sections.first { $0.part == title && $0.title == title } }

  /// The headings as a link names them, a repeated one with a number.
  package var anchors: [String] {
    var count: [String: Int] = [:]
    return sections.map { section in
      let anchor = String(
        section.title.lowercased().compactMap { character -> Character? in
          if character == " " { return "-" }
          return character.isLetter || character.isNumber || character == "-" ? character : nil
        })
      defer { count[anchor, default: 0] += 1 }
      return count[anchor].map { "\(anchor)-\($0)" } ?? anchor
    }
  }

  /// Where its links lead.
  package var links: [String] {
    text.components("](").dropFirst().map { String($0.prefix { $0 != ")" }) }
  }
}

extension StringProtocol {
  /// The pieces between a separator.
  fileprivate func components(_ separator: String) -> [SubSequence] {
    var pieces: [SubSequence] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      pieces.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return pieces + [rest]
  }
}
