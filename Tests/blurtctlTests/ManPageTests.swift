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
      let operands = verb.entry.operands.flatMap { [$0.name] + ($0.count == .some ? ["..."] : []) }
      let options = verb.entry.options.flatMap { ["--\($0.rawValue)"] + [$0.valueName].compactMap { $0 } }
      return verb.rawValue.split(separator: " ").map(String.init) + operands + options
    }
    #expect(items == table)
  }

  @Test("S-151 the man page explains every option that all commands take, and names the others where they belong")
  func options() {
    let items = section("OPTIONS").filter { $0.hasPrefix(".It Fl ") }.map(words)
    let common = CommandTable.Option.common.map { option in
      [option.letter.map { "-\($0)" }, "--\(option.rawValue)", option.valueName].compactMap { $0 }
    }
    #expect(items == common)
    // A command's own are in its head, which is compared above, and in its text.
    let text = section("COMMANDS").filter { !$0.hasPrefix(".It ") }.joined(separator: "\n")
    for option in CommandTable.Option.allCases where !CommandTable.Option.common.contains(option) {
      #expect(text.contains(".Fl -\(option.rawValue)"), "\(option) is not explained")
    }
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
    let text = HelpText.text(for: .everything)
    var all = [text]
    for verb in CommandTable.Verb.allCases {
      #expect(text.contains("\n  \(verb.group?.rawValue ?? verb.rawValue)"))
      let own = HelpText.text(for: .verb(verb))
      #expect(own.hasPrefix("usage: blurtctl \(verb.rawValue)"))
      for option in verb.options { #expect(own.contains("--\(option.rawValue)")) }
      for operand in verb.entry.operands { #expect(own.contains(operand.name)) }
      all.append(own)
    }
    for group in CommandTable.Group.allCases {
      let own = HelpText.text(for: .group(group))
      for verb in group.verbs { #expect(own.contains("\n  \(verb.lastWord)")) }
      all.append(own)
    }
    for option in CommandTable.Option.common { #expect(text.contains("--\(option.rawValue)")) }
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    for status in ExitStatus.allCases { #expect(rows.contains("\(status.rawValue) \(status.meaning)")) }
    for line in all.joined().split(separator: "\n") { #expect(line.count <= HelpText.width, "\(line)") }
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
