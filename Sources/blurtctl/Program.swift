internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS

/// One run of `blurtctl`: reads the command line, carries the command out, says how it ended.
struct Program {
  let console: Console

  func run(_ arguments: [String]) -> ExitStatus {
    let request: Invocation.Request
    do throws(Invocation.UsageError) {
      // As every program: --version is the command version.
      request = try Invocation.parse(arguments.first == "--version" ? ["version"] + arguments.dropFirst() : arguments)
    } catch {
      console.err("blurtctl: \(TerminalText.safe(error.message)) \(HelpText.reminder(error.topic))")
      let options = arguments.prefix { $0 != "--" }
      if options.contains("--json") && !options.contains("--quiet") {
        let line = MessageCoder.encode(WireError(.badRequest, error.message))
        console.out(String(decoding: line, as: UTF8.self))
      }
      return .usage
    }
    switch request {
    case .help(let topic):
      console.out(HelpText.text(for: topic))
      return .done
    case .run(let invocation): return run(invocation)
    }
  }

  private func run(_ invocation: Invocation) -> ExitStatus {
    let output = Output(console, switches: invocation.switches)
    do throws(VerbError) {
      return try run(invocation, output)
    } catch {
      let error = explained(error, invocation)
      output.problem(error.sentence, line: error.line, isText: invocation.printsText)
      return error.exitStatus
    }
  }

  private func run(_ invocation: Invocation, _ output: Output) throws(VerbError) -> ExitStatus {
    let switches = invocation.switches
    let words = invocation.operands
    // As many as the table asks for are there.
    let word = words.first ?? ""
    let connect = { () throws(VerbError) in try Conversation(path: path(invocation)) }
    let confirmation = Confirmation(console, yes: switches.contains(.yes))
    let spool = { () throws(VerbError) in SpoolVerb(try connect(), output, console) }
    let settings = { () throws(VerbError) in SettingsVerb(try connect(), output) }
    let keys = { () throws(VerbError) in KeysVerb(try connect(), output) }
    let terms = { () throws(VerbError) in TermsVerb(try connect(), output, input: console.input) }
    let styles = { () throws(VerbError) in StylesVerb(try connect(), output, input: console.input) }
    let shortcuts = { () throws(VerbError) in ShortcutsVerb(try connect(), output, input: console.input) }
    let devices = { () throws(VerbError) in DevicesVerb(try connect(), output) }
    let sounds = { () throws(VerbError) in SoundsVerb(try connect(), output) }
    let key = { () throws(VerbError) in KeyVerb(try connect(), output, engine: invocation.values[.engine]) }
    let waits = switches.contains(.wait)
    let namesOnly = switches.contains(.names)
    let replaces = switches.contains(.replace)
    switch invocation.verb {
    case .press: return try AnswerVerb(connect(), output, .press(key: nil, lease: .none)).run()
    case .release: return try AnswerVerb(connect(), output, .release).run(waiting: waits)
    case .cancel: return try AnswerVerb(connect(), output, .cancel).run()
    case .cancelRecording: return try AnswerVerb(connect(), output, .cancelRecording).run()
    case .toggle: return try AnswerVerb(connect(), output, .toggle).run(waiting: waits)
    case .retry:
      let retry = ClientCommand.Action.retry(recording: words.first, engine: invocation.values[.engine])
      return try AnswerVerb(connect(), output, retry).run(waiting: waits)
    case .hold: return try HoldVerb(connect(), output, console).run()
    case .watch:
      let watch = WatchVerb(output, console, switches: switches)
      return try switches.contains(.waybar) ? watch.runForBar(path: path(invocation)) : watch.run(connect())
    case .status: return try StatusVerb(connect(), output).run()
    case .doctor:
      return DoctorVerb(
        output, console, socket: invocation.values[.socket], record: switches.contains(.record)
      ).run()
    case .last: return try LastVerb(connect(), output).run()
    case .recent: return try RecentVerb(connect(), output, console).run(count: invocation.count)
    case .transcribe:
      return try TranscribeVerb(connect(), output, file: word, engine: invocation.values[.engine]).run()
    case .spoolList: return try spool().list(namesOnly: namesOnly)
    case .spoolDiscard:
      return try spool().discard(words.first, all: switches.contains(.all), confirmation)
    case .settingsList: return try settings().list(namesOnly: namesOnly)
    case .settingsGet: return try settings().get(word)
    case .settingsSet: return try settings().set(word, to: words.last ?? "")
    case .settingsReset: return try settings().reset(words.first, all: switches.contains(.all), confirmation)
    case .keysList: return try keys().list(all: switches.contains(.all), namesOnly: namesOnly)
    case .keysSet:
      return try keys().set(
        word, words.last ?? "", style: invocation.values[.style], activation: invocation.values[.activation],
        only: switches.contains(.only))
    case .keysBind: return try keys().bind(word)
    case .keysOff: return try keys().off(word)
    case .keysActivation: return try keys().activation(word, of: words.dropFirst().first)
    case .termsList: return try terms().list(namesOnly: namesOnly)
    case .termsAdd: return try terms().add(words)
    case .termsRemove: return try terms().remove(words)
    case .termsSet: return try terms().set(words)
    case .termsClear: return try terms().clear()
    case .termsExport: return try terms().export(to: words.first)
    case .termsImport: return try terms().importing(from: word, replacing: replaces)
    case .stylesList: return try styles().list(namesOnly: namesOnly)
    case .stylesUse: return try styles().use(word)
    case .stylesAdd: return try styles().add(word, words.dropFirst().joined(separator: " "), replacing: replaces)
    case .stylesRemove: return try styles().remove(words)
    case .stylesExport: return try styles().export(to: words.first)
    case .stylesImport: return try styles().importing(from: word, replacing: replaces)
    case .shortcutsList: return try shortcuts().list(namesOnly: namesOnly)
    case .shortcutsAdd: return try shortcuts().add(word, words.last ?? "", replacing: replaces)
    case .shortcutsRemove: return try shortcuts().remove(words)
    case .shortcutsExport: return try shortcuts().export(to: words.first, format(invocation))
    case .shortcutsImport: return try shortcuts().importing(from: word, format(invocation), replacing: replaces)
    case .devicesList: return try devices().list(namesOnly: namesOnly)
    case .devicesUse: return try devices().use(word)
    case .soundsList: return try sounds().list(namesOnly: namesOnly)
    case .soundsUse: return try sounds().use(word)
    case .soundsPlay: return try sounds().play(words)
    case .keySet: return try key().set(SecretInput(console))
    case .keyShow: return try key().show()
    case .keyCheck: return try key().check()
    case .keyClear: return try key().clear()
    case .reset: return try ResetVerb(connect(), output).run(confirmation)
    case .completion: return CompletionVerb(output: output).run(word)
    case .version: return VersionVerb(output: output).run()
    }
  }

  /// Where nobody answers, what became of the daemon and what helps.
  private func explained(_ error: VerbError, _ invocation: Invocation) -> VerbError {
    guard case .client = error, let path = try? path(invocation) else { return error }
    return Absence(path: path, environment: console.environment).explained(error)
  }

  private func format(_ invocation: Invocation) -> ShortcutFormat? {
    invocation.values[.format].flatMap { ShortcutFormat(rawValue: $0) }
  }

  private func path(_ invocation: Invocation) throws(VerbError) -> String {
    do throws(SocketPathError) {
      return try SocketPath.resolve(option: invocation.values[.socket], environment: console.environment)
    } catch {
      if case .identity = error { throw .usage(error.description) }
      throw .found(error.description, .noDaemon, .noDaemon)
    }
  }
}
