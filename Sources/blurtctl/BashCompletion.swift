/// The completions for bash. They need nothing but bash itself.
enum BashCompletion {
  static var script: String {
    var cases: [String] = []
    for group in CommandTable.Group.allCases {
      cases += [
        "'\(group.rawValue)')", "  words='\(group.verbs.map(\.lastWord).joined(separator: " "))'",
        "  options='\(CompletionWords.options(group.defaultVerb.options))'", "  ;;",
      ]
    }
    for verb in CommandTable.Verb.allCases {
      cases += ["'\(verb.rawValue)')"] + body(verb).map { "  " + $0 } + ["  ;;"]
    }
    let valued = CommandTable.Option.allCases.filter { $0.valueName != nil }
    let values = valued.map { option in
      let act = option.choices.map { "words='\($0.joined(separator: " "))'" } ?? (option == .socket ? "files=1" : ":")
      return "      --\(option.rawValue)) \(act) ;;"
    }
    return """
      # Completions of blurtctl for bash, made by "blurtctl completion bash".
      _blurtctl() {
        local current=${COMP_WORDS[COMP_CWORD]} path='' option='' count=0 word index words='' options='' files='' names='' quoted='' operand=''
        COMPREPLY=()
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if [[ -n $option ]]; then
            [[ $word == '=' ]] || option=''
            continue
          fi
          case $word in
            \(valued.map { "--\($0.rawValue)" }.joined(separator: " | "))) option=$word ;;
            -*) ;;
            *)
              case "${path:+$path }$word" in
                \(CompletionWords.commandPaths.map { "'\($0)'" }.joined(separator: " | ")))
                  path="${path:+$path }$word"
                  ;;
                *) count=$((count + 1)) operand=$word ;;
              esac
              ;;
          esac
        done
        [[ -n $option && $current == '=' ]] && current=''
        if [[ -n $option ]]; then
          case $option in
      \(values.joined(separator: "\n"))
          esac
        else
          case $path in
          '')
            words='\(CompletionWords.firstWords.map(\.name).joined(separator: " "))'
            options='\(CompletionWords.options(CommandTable.Option.common))'
            ;;
      \(cases.map { "    " + $0 }.joined(separator: "\n"))
          esac
          if [[ $current == -* ]]; then
            words=$options files='' names=''
          fi
        fi
        if [[ -n $names ]]; then
          local IFS=$'\\n'
          for word in $(blurtctl "$names" list --names 2>/dev/null); do
            printf -v quoted %q "$word"
            [[ $word == "$current"* || $quoted == "$current"* ]] && COMPREPLY+=("$quoted")
          done
        fi
        local IFS=$' \\t\\n'
        [[ -n $words ]] && COMPREPLY+=($(compgen -W "$words" -- "$current"))
        if [[ -n $files ]]; then
          compopt -o filenames 2>/dev/null
          local IFS=$'\\n'
          COMPREPLY+=($(compgen -f -- "$current"))
        fi
      }
      complete -F _blurtctl blurtctl

      """
  }

  /// What may follow a command, by how many operands stand there.
  private static func body(_ verb: CommandTable.Verb) -> [String] {
    var lines = ["options='\(CompletionWords.options(verb.options))'"]
    for (index, operand) in verb.entry.operands.enumerated() {
      let condition = operand.count == .some ? "[[ $count -ge \(index) ]]" : "[[ $count -eq \(index) ]]"
      switch CompletionWords.source(operand) {
      case .nothing: continue
      case .files: lines.append("\(condition) && files=1")
      case .value:
        lines += [
          "[[ $count -eq \(index) ]] && quoted=$(blurtctl settings get \"$operand\" 2>/dev/null)",
          "[[ $quoted == true || $quoted == false ]] && words='on off'",
        ]
      case .words(let words): lines.append("\(condition) && words='\(words.joined(separator: " "))'")
      case .names(let group): lines.append("\(condition) && names='\(group.rawValue)'")
      }
    }
    return lines
  }
}
