import BlurtContract
import Foundation
import Testing

@testable import blurtctl

/// The man page, the help and the table say the same.
@Suite struct ManPageTests {
  private let lines: [String]

  init() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/blurtctl/blurtctl.1").standardized
    lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// The lines of a section.
  private func section(_ name: String) -> [String] {
    Array(lines.drop { $0 != ".Sh \(name)" }.dropFirst().prefix { !$0.hasPrefix(".Sh ") })
  }

  /// The words of a macro line, without macros and brackets of optional arguments.
  private func words(_ line: String) -> [String] {
    var words: [String] = []
    var isFlag = false
    for word in line.split(separator: " ").map(String.init) {
      switch word {
      case ".It", "Cm", "Op", "Oo", "Oc", "Ar", ",": continue
      case "Fl": isFlag = true
      default:
        words.append(isFlag ? "-" + word : word)
        isFlag = false
      }
    }
    return words
  }

  @Test("S-151 the man page has exactly the commands of the table, with their operands and options, in its order")
  func commands() {
    let items = section("COMMANDS").filter { $0.hasPrefix(".It Cm ") }.map(words)
    let table = CommandTable.Verb.allCases.map { verb in
      [verb.rawValue] + [verb.operandName].compactMap { $0 } + verb.ownOptions.map { "--\($0.rawValue)" }
    }
    #expect(items == table)
  }

  @Test("S-151 the man page has exactly the options of the table")
  func options() {
    let items = Set(section("OPTIONS").filter { $0.hasPrefix(".It Fl ") }.map(words))
    let own = section("COMMANDS").joined(separator: " ")
    for option in CommandTable.Option.allCases {
      let name = [option.letter.map { "-\($0)" }, "--\(option.rawValue)", option.valueName].compactMap { $0 }
      #expect(items.contains(name) || own.contains(".Fl -\(option.rawValue)"), "\(option) is missing")
    }
    for option in CommandTable.Option.common { #expect(items.contains { $0.contains("--\(option.rawValue)") }) }
    #expect(items.count == CommandTable.Option.common.count + 1)
  }

  @Test("S-151 the man page has every exit status with its meaning")
  func statuses() {
    let text = section("EXIT STATUS")
    #expect(
      text.filter { $0.hasPrefix(".It ") }.map { $0.dropFirst(4) } == ExitStatus.allCases.map { "\($0.rawValue)" })
    for status in ExitStatus.allCases {
      let meaning = text[text.index(after: text.firstIndex(of: ".It \(status.rawValue)") ?? 0)]
      #expect(meaning.lowercased().hasPrefix(status.meaning.lowercased()), "\(status)")
    }
  }

  @Test("S-151 the help names every command, common option and exit status in use")
  func help() {
    let text = HelpText.text(for: nil)
    for verb in CommandTable.Verb.allCases {
      #expect(text.contains("\n  \(verb.rawValue)"))
      let own = HelpText.text(for: verb)
      #expect(own.hasPrefix("usage: blurtctl \(verb.rawValue)"))
      for option in verb.options { #expect(own.contains("--\(option.rawValue)")) }
    }
    for option in CommandTable.Option.common { #expect(text.contains("--\(option.rawValue)")) }
    for status in ExitStatus.allCases {
      #expect(text.contains("\n  \(status.rawValue)  \(status.meaning)\n") == HelpText.isUsed(status))
    }
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test(
    "S-151 the formatters find nothing to say about the man page",
    arguments: [["mandoc", "-Tlint", "-Wwarning"], ["man", "--warnings", "-l"]])
  func lint(_ command: [String]) throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/blurtctl/blurtctl.1").standardized
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(command[0])") else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(command[0])")
    process.arguments = command.dropFirst() + [page.path]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = command[0] == "mandoc" ? output : FileHandle.nullDevice
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: said, as: UTF8.self) == "")
    #expect(process.terminationStatus == 0)
  }
}
