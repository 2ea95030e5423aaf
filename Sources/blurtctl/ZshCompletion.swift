/// The completions for zsh.
enum ZshCompletion {
  static var script: String {
    let valued = CommandTable.Option.allCases.filter { $0.valueName != nil }
    let values = valued.map { option in
      let act =
        option.choices.map { "compadd -- \($0.joined(separator: " "))" }
        ?? (option == .socket ? "_files" : "_message '\(option.valueName ?? "")'")
      return "      --\(option.rawValue)) \(act) ;;"
    }
    var cases: [String] = []
    for group in CommandTable.Group.allCases {
      cases.append("    '\(group.rawValue)')")
      cases.append(
        "      verbs=(\(group.verbs.map { described($0.lastWord, $0.entry.summary) }.joined(separator: " ")))")
      cases.append("      flags=(\(described(group.defaultVerb.options)))")
      cases.append("      ;;")
    }
    for verb in CommandTable.Verb.allCases {
      cases.append("    '\(verb.rawValue)')")
      cases.append("      flags=(\(described(verb.options)))")
      cases += operands(verb).map { "      " + $0 }
      cases.append("      ;;")
    }
    return """
      #compdef blurtctl
      # Completions of blurtctl for zsh, made by "blurtctl completion zsh".
      _blurtctl() {
        local line='' option='' word names='' files=''
        local -i count=0 index
        local -a verbs flags found
        for ((index = 2; index < CURRENT; index++)); do
          word=${words[index]}
          if [[ -n $option ]]; then
            option=''
            continue
          fi
          case $word in
            \(valued.map { "--\($0.rawValue)" }.joined(separator: "|"))) option=$word ;;
            -*) ;;
            *)
              case "${line:+$line }$word" in
                \(CompletionWords.commandPaths.map { "'\($0)'" }.joined(separator: "|"))) line="${line:+$line }$word" ;;
                *) count+=1 ;;
              esac
              ;;
          esac
        done
        if [[ -n $option ]]; then
          case $option in
      \(values.joined(separator: "\n"))
          esac
          return
        fi
        case $line in
          '')
            verbs=(\(CompletionWords.firstWords.map { described($0.name, $0.summary) }.joined(separator: " ")))
            flags=(\(described(CommandTable.Option.common)))
            ;;
      \(cases.joined(separator: "\n"))
        esac
        if [[ $PREFIX == -* ]]; then
          _describe -o option flags
          return
        fi
        (( $#verbs )) && _describe command verbs
        if [[ -n $names ]]; then
          found=("${(@f)$(blurtctl $names list --names 2>/dev/null)}")
          [[ -n $found ]] && compadd -- "${found[@]}"
        fi
        [[ -n $files ]] && _files
        return 0
      }
      if [[ $funcstack[1] == _blurtctl ]]; then
        _blurtctl "$@"
      else
        compdef _blurtctl blurtctl
      fi

      """
  }

  private static func operands(_ verb: CommandTable.Verb) -> [String] {
    verb.entry.operands.enumerated().compactMap { index, operand in
      let condition = operand.count == .some ? "(( count >= \(index) ))" : "(( count == \(index) ))"
      switch CompletionWords.source(operand) {
      case .nothing, .value: return nil
      case .files: return "\(condition) && files=1"
      case .words(let words): return "\(condition) && verbs=(\(words.joined(separator: " ")))"
      case .names(let group): return "\(condition) && names='\(group.rawValue)'"
      }
    }
  }

  private static func described(_ options: [CommandTable.Option]) -> String {
    options.map { described("--\($0.rawValue)", $0.summary) }.joined(separator: " ")
  }

  /// `'name:summary'`: colons belong to the form, apostrophes to the quotes.
  private static func described(_ name: String, _ summary: String) -> String {
    let text = summary.map { $0 == "'" ? "’" : $0 == ":" ? "\\:" : String($0) }.joined()
    return "'\(name):\(text)'"
  }
}
