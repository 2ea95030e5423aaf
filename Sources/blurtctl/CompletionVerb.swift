internal import BlurtContract

/// `completion SHELL`: the completions, made from the table.
struct CompletionVerb {
  let output: Output

  func run(_ shell: String) -> ExitStatus {
    let script =
      switch shell {
      case "zsh": ZshCompletion.script
      case "fish": FishCompletion.script
      default: BashCompletion.script
      }
    output.text(String(script.dropLast()), line: MessageCoder.encode(.object(["completion": .string(script)])))
    return .done
  }
}
