/// The completions for fish.
enum FishCompletion {
  static var script: String {
    let valued = CommandTable.Option.allCases.filter { $0.valueName != nil }
    var lines: [String] = []
    for word in CompletionWords.firstWords {
      lines.append(line("''", "-a \(word.name) -d \(quoted(word.summary))"))
    }
    for option in CommandTable.Option.common { lines.append(line(nil, described(option))) }
    for group in CommandTable.Group.allCases {
      for verb in group.verbs {
        lines.append(line(quoted(group.rawValue), "-a \(verb.lastWord) -d \(quoted(verb.entry.summary))"))
      }
      for option in group.defaultVerb.entry.options { lines.append(line(quoted(group.rawValue), described(option))) }
    }
    for verb in CommandTable.Verb.allCases {
      for option in verb.entry.options { lines.append(line(quoted(verb.rawValue), described(option))) }
      for (index, operand) in verb.entry.operands.enumerated() {
        let place = "\(quoted(verb.rawValue)) \(index)" + (operand.count == .some ? " more" : "")
        switch CompletionWords.source(operand) {
        case .nothing, .value: continue
        case .files: lines.append(line(place, "-F"))
        case .words(let words): lines.append(line(place, "-a \(quoted(words.joined(separator: " ")))"))
        case .names(let group): lines.append(line(place, "-a '(blurtctl \(group.rawValue) list --names 2>/dev/null)'"))
        }
      }
    }
    return """
      # Completions of blurtctl for fish, made by "blurtctl completion fish".

      # Whether the command so far is that one, with that many operands; with "more", or more of them.
      function __blurtctl_at
          set -l path ''
          set -l count 0
          set -l option ''
          for word in (commandline -opc)[2..-1]
              if test -n "$option"
                  set option ''
                  continue
              end
              switch $word
                  case \(valued.map { "--\($0.rawValue)" }.joined(separator: " "))
                      set option $word
                  case '-*'
                  case '*'
                      switch (string trim -- "$path $word")
                          case \(CompletionWords.commandPaths.map(quoted).joined(separator: " "))
                              set path (string trim -- "$path $word")
                          case '*'
                              set count (math $count + 1)
                      end
              end
          end
          test "$path" = "$argv[1]"; or return 1
          test (count $argv) -lt 2; and return 0
          test $count -eq $argv[2]; and return 0
          test (count $argv) -gt 2; and test $count -ge $argv[2]
      end

      complete -c blurtctl -f
      \(lines.joined(separator: "\n"))

      """
  }

  private static func line(_ place: String?, _ rest: String) -> String {
    guard let place else { return "complete -c blurtctl \(rest)" }
    return "complete -c blurtctl -n \"__blurtctl_at \(place)\" \(rest)"
  }

  private static func described(_ option: CommandTable.Option) -> String {
    let letter = option.letter.map { " -s \($0)" } ?? ""
    let value =
      option.choices.map { " -x -a \(quoted($0.joined(separator: " ")))" }
      ?? (option == .socket ? " -r -F" : option.valueName == nil ? "" : " -x")
    return "-l \(option.rawValue)\(letter)\(value) -d \(quoted(option.summary))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "\\'" : String($0) }.joined() + "'"
  }
}
