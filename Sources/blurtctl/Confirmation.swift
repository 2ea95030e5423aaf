internal import Glibc

/// Asks before what cannot be undone.
struct Confirmation {
  private let console: Console
  private let isGivenAlready: Bool

  /// `yes`: the user has said so on the command line.
  init(_ console: Console, yes: Bool) {
    self.console = console
    isGivenAlready = yes
  }

  /// Whether to go on. Where nobody can be asked, the command line must say so.
  func isGiven(_ question: String) throws(VerbError) -> Bool {
    if isGivenAlready { return true }
    guard console.inputIsTerminal else { throw .usage("\(question) Say so with --yes.") }
    console.err("\(question) [y/N] ")
    let answer = TerminalText.line(TextFile.line(from: console.input)).lowercased()
    if answer == "y" || answer == "yes" { return true }
    console.err("Nothing was changed.\n")
    return false
  }
}
