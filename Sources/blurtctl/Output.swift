internal import BlurtContract

/// What a command prints, and where: text for people, one JSON line for programs, or nothing.
struct Output {
  enum Form: Hashable {
    case text, json, quiet
  }

  private let console: Console
  /// As the user asked.
  let asked: Form
  /// Of answers, whose text is for people: JSON when stdout is a pipe.
  private let ofAnswers: Form

  init(_ console: Console, switches: Set<CommandTable.Option>) {
    self.console = console
    asked = switches.contains(.json) ? .json : switches.contains(.quiet) ? .quiet : .text
    ofAnswers = asked == .text && !console.outIsTerminal ? .json : asked
  }

  /// Whether a person watches: phases are worth showing.
  var showsProgress: Bool { asked == .text && console.errIsTerminal }

  /// Whether a person reads stdout.
  var isForPerson: Bool { asked == .text && console.outIsTerminal }

  /// Columns of the terminal, for tables.
  var width: Int { console.width() }

  /// An answer: the sentence on a terminal, else its line as it came.
  func answer(_ sentence: @autoclosure () -> String, line: @autoclosure () -> [UInt8]) {
    switch ofAnswers {
    case .text: console.out(TerminalText.safe(sentence()) + "\n")
    case .json: console.out(Self.string(line()))
    case .quiet: break
    }
  }

  /// A text that is wanted as it is: bare, also into a pipe, so that it can be used; JSON only if asked for.
  func text(_ text: String, line: @autoclosure () -> [UInt8]) {
    switch asked {
    case .text:
      if !text.isEmpty { console.out((console.outIsTerminal ? TerminalText.safe(text) : text) + "\n") }
    case .json: console.out(Self.string(line()))
    case .quiet: break
    }
  }

  /// A refusal or a failure: a sentence on stderr, and the line on stdout where JSON is wanted. `isText` says that stdout
  /// belongs to a text, which JSON that nobody asked for must not spoil.
  func problem(_ sentence: String, line: @autoclosure () -> [UInt8], isText: Bool = false) {
    if asked == .text { console.err("blurtctl: \(TerminalText.safe(sentence))\n") }
    if asked == .json || (ofAnswers == .json && !isText) { console.out(Self.string(line())) }
  }

  /// A remark that is neither the result nor a failure.
  func remark(_ sentence: String) {
    if asked == .text { console.err(TerminalText.safe(sentence) + "\n") }
  }

  /// How a phase or a level is shown while a person waits; on stderr, so that stdout is the text alone.
  func progress(_ sentence: String) {
    if showsProgress { console.err(TerminalText.safe(sentence) + "\n") }
  }

  private static func string(_ line: [UInt8]) -> String {
    String(decoding: line, as: UTF8.self) + (line.last == UInt8(ascii: "\n") ? "" : "\n")
  }
}
