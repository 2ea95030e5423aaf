internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS
internal import Glibc

/// `doctor`: one line for each link of the chain, and the one remedy for each that fails. What the client can see by
/// itself comes first, so that it helps also where no daemon answers.
struct DoctorVerb {
  /// How long the daemon's answer is waited for. Its own probes take at most 8 s.
  static let patience: Duration = .seconds(10)
  /// How long `systemctl` may take.
  private static let helperLimit: Duration = .seconds(3)

  /// What makes blurtd a service.
  private static let installation = "scripts/install.sh"

  private let output: Output
  private let console: Console
  private let socket: String?
  private let record: Bool

  init(_ output: Output, _ console: Console, socket: String?, record: Bool) {
    self.output = output
    self.console = console
    self.socket = socket
    self.record = record
  }

  func run() -> ExitStatus {
    var checks = [runtimeFolder(), unit()]
    var status = ExitStatus.done
    do throws(SocketPathError) {
      let path = try SocketPath.resolve(option: socket, environment: console.environment)
      do throws(VerbError) {
        checks += try daemon(path)
      } catch {
        let unit = checks.removeLast()
        let fate = Absence(path: path, environment: console.environment).fate
        checks += Self.unanswered(error, path, unit: unit, fate: fate)
        status = error.exitStatus
      }
    } catch {
      // Without a runtime folder the remedy stands there already.
      var remedy: String?
      if case .identity = error { remedy = "unset BLURT_IDENTITY" }
      checks.append(DoctorCheck("socket", .failed, error.description, remedy: remedy))
      status = .noDaemon
    }
    if status == .done, checks.contains(where: { $0.state == .failed }) { status = .failed }
    let line = MessageCoder.encode(
      .object(["checks": .array(checks.map { .object($0.members) }), "ok": .bool(status == .done)]))
    output.answer(Self.text(checks, width: output.width), line: line)
    return status
  }

  /// One row a link; the remedy under it.
  static func text(_ checks: [DoctorCheck], width: Int) -> String {
    let column = checks.map(\.check.count).max() ?? 0
    return checks.map { check in
      let name = check.check + String(repeating: " ", count: column - check.check.count)
      let row = TerminalText.hanging("\(word(check.state))  \(name)  ", check.message, width: width)
      guard let remedy = check.remedy else { return row }
      let indent = String(repeating: " ", count: 9 + column + 2)
      return row + "\n" + TerminalText.hanging(indent + "Try: ", remedy, width: width)
    }.joined(separator: "\n")
  }

  /// What the unit and the socket say where nobody answers, with one remedy for both. `fate`: what became of the daemon.
  static func unanswered(
    _ error: VerbError, _ path: String, unit: DoctorCheck, fate: String? = nil
  ) -> [DoctorCheck] {
    var unit = unit
    let isManaged = unit.state != .skipped && unit.remedy != installation
    let message: String
    let remedy: String
    switch error {
    case .client(.noDaemon(_, let reason)):
      message = ["Nobody listens on \(path) (\(reason.reason)).", fate].compactMap { $0 }.joined(separator: " ")
      remedy = !isManaged ? "blurtd" : "systemctl --user \(unit.state == .ok ? "restart" : "start") blurtd"
    case .client(.closed), .client(.noAnswer):
      message =
        error == .client(.closed) ? "blurtd went away while it was asked." : "blurtd does not answer on \(path)."
      remedy = isManaged ? "systemctl --user restart blurtd" : "end blurtd and run it again: blurtd"
    case .client(.refused), .client(.unreadable), .refused, .found:
      message = error.sentence
      remedy = isManaged ? "systemctl --user restart blurtd" : "end blurtd and run it again: blurtd"
    }
    unit.remedy = nil
    return [unit, DoctorCheck("socket", .failed, message, remedy: remedy)]
  }

  private static func word(_ state: DoctorCheck.State) -> String {
    switch state {
    case .ok: "ok     "
    case .warning: "warning"
    case .failed: "FAILED "
    case .skipped: "skipped"
    }
  }

  private func daemon(_ path: String) throws(VerbError) -> [DoctorCheck] {
    let conversation = try Conversation(path: path)
    let answer = try conversation.ask(.status)
    var checks = [DoctorCheck("socket", .ok, "blurtd answers on \(path).")]
    if let status = answer.ack.status, status.version != ProductVersion.current {
      checks.append(
        DoctorCheck(
          "version", .warning, "blurtd is \(status.version), blurtctl \(ProductVersion.current).",
          remedy: "systemctl --user restart blurtd"))
    }
    let found = try conversation.ask(.doctor(record: record), within: Self.patience)
    guard found.ack.result == .done, let more = found.ack.checks else {
      return checks + [
        DoctorCheck(
          "daemon", .failed, found.ack.message ?? (found.ack.reason ?? .fault).text, remedy: "update blurtd")
      ]
    }
    return checks + more
  }

  private func runtimeFolder() -> DoctorCheck {
    guard let folder = console.environment("XDG_RUNTIME_DIR"), !folder.isEmpty else {
      return DoctorCheck(
        "runtimeFolder", .failed, "XDG_RUNTIME_DIR is not set.", remedy: "log in through a desktop session")
    }
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      return DoctorCheck(
        "runtimeFolder", .failed, "\(folder) is no folder of yours.", remedy: "log in through a desktop session")
    }
    return DoctorCheck("runtimeFolder", .ok, "\(folder) is there.")
  }

  /// Whether the service manager looks after blurtd. A daemon that was started by hand works as well.
  private func unit() -> DoctorCheck {
    guard let program = HelperProgram.find("systemctl", path: console.environment("PATH") ?? "/usr/bin:/bin") else {
      return DoctorCheck("unit", .skipped, "There is no systemctl here.")
    }
    var environment: [String: String] = [:]
    for name in ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"] {
      environment[name] = console.environment(name)
    }
    let properties = ["--user", "show", "blurtd.service", "--property=LoadState,ActiveState,UnitFileState,Result"]
    let result: HelperProgram.Result
    do throws(Errno) {
      result = try HelperProgram.run(program, arguments: properties, environment: environment, limit: Self.helperLimit)
    } catch {
      return DoctorCheck("unit", .skipped, "systemctl cannot be run (\(error.reason)).")
    }
    guard result.status == 0 else {
      return DoctorCheck("unit", .skipped, "The service manager of this user does not answer.")
    }
    return Self.unit(String(decoding: result.output, as: UTF8.self))
  }

  /// Reads what `systemctl show` printed.
  static func unit(_ properties: String) -> DoctorCheck {
    var values: [Substring: Substring] = [:]
    for line in properties.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    guard values["LoadState"] == "loaded" else {
      return DoctorCheck(
        "unit", .warning, "blurtd is not installed as a service, so it does not start by itself.",
        remedy: installation)
    }
    switch values["ActiveState"] {
    case "failed"?:
      return DoctorCheck(
        "unit", .failed,
        "The service has failed (\(values["Result"] ?? "for an unknown reason")); journalctl --user -u blurtd -n 20 shows why.",
        remedy: "systemctl --user restart blurtd")
    case "active"?, "activating"?, "reloading"?:
      return DoctorCheck("unit", .ok, "The service runs (\(values["UnitFileState"] ?? "unknown")).")
    default:
      return DoctorCheck(
        "unit", .warning, "The service is installed and does not run.", remedy: "systemctl --user start blurtd")
    }
  }
}
