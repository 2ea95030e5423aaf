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
      console.err("blurtctl: \(error.message) \(HelpText.reminder)")
      return .usage
    }
    switch request {
    case .help(let verb):
      console.out(HelpText.text(for: verb))
      return .done
    case .run(let invocation): return run(invocation)
    }
  }

  private func run(_ invocation: Invocation) -> ExitStatus {
    let output = Output(console, switches: invocation.switches)
    if invocation.verb == .version { return VersionVerb(output: output).run() }
    if invocation.verb == .doctor {
      return DoctorVerb(
        output, console, socket: invocation.socket, record: invocation.switches.contains(.record)
      ).run()
    }
    let path: String
    do throws(SocketPathError) {
      path = try SocketPath.resolve(option: invocation.socket, environment: console.environment)
    } catch {
      if case .identity = error {
        console.err("blurtctl: \(error.description)\n")
        return .usage
      }
      output.problem(
        error.description, line: Self.problemLine(.noDaemon, error.description), isText: invocation.printsText)
      return .noDaemon
    }
    do throws(ControlClientError) {
      return try run(invocation, Conversation(path: path), output)
    } catch {
      output.problem(
        error.description, line: Self.problemLine(error.reason, error.description), isText: invocation.printsText)
      return error.exitStatus
    }
  }

  private func run(
    _ invocation: Invocation, _ conversation: Conversation, _ output: Output
  ) throws(ControlClientError) -> ExitStatus {
    let waits = invocation.switches.contains(.wait)
    switch invocation.verb {
    case .press: return try AnswerVerb(conversation, output, .press(key: nil, lease: false)).run()
    case .release: return try AnswerVerb(conversation, output, .release).run(waiting: waits)
    case .cancel: return try AnswerVerb(conversation, output, .cancel).run()
    case .cancelRecording: return try AnswerVerb(conversation, output, .cancelRecording).run()
    case .toggle: return try AnswerVerb(conversation, output, .toggle).run(waiting: waits)
    case .hold: return try HoldVerb(conversation, output, console).run()
    case .watch:
      let options = WatchOptions(
        levels: invocation.switches.contains(.levels), results: invocation.switches.contains(.results))
      return try WatchVerb(conversation, output, options).run()
    case .status: return try StatusVerb(conversation, output).run()
    case .last: return try LastVerb(conversation, output).run()
    case .transcribe: return try TranscribeVerb(conversation, output, file: invocation.operand ?? "").run()
    case .version, .doctor: return .failed
    }
  }

  /// What `--json` prints where the daemon said nothing: in the form of the wire's error object.
  static func problemLine(_ reason: FailureReason, _ message: String) -> [UInt8] {
    MessageCoder.encode(WireError(reason, message))
  }
}

extension Invocation {
  /// Whether stdout is for a text that was spoken.
  var printsText: Bool {
    switch verb {
    case .hold, .last, .transcribe: true
    case .release, .toggle: switches.contains(.wait)
    case .press, .cancel, .cancelRecording, .watch, .status, .doctor, .version: false
    }
  }
}
