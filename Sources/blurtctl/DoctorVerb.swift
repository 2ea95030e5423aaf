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
        checks.append(DoctorCheck("socket", .failed, error.sentence, remedy: "systemctl --user restart blurtd"))
        status = error.exitStatus
      }
    } catch {
      checks.append(DoctorCheck("socket", .failed, error.description, remedy: "log in through a desktop session"))
      status = .noDaemon
    }
    if status == .done, checks.contains(where: { $0.state == .failed }) { status = .failed }
    let line = MessageCoder.encode(
      .object(["checks": .array(checks.map { .object($0.members) }), "ok": .bool(status == .done)]))
    output.answer(Self.text(checks), line: line)
    return status
  }

  /// One line a link; the remedy under it.
  static func text(_ checks: [DoctorCheck]) -> String {
    let width = checks.map(\.check.count).max() ?? 0
    return checks.map { check in
      let name = check.check + String(repeating: " ", count: width - check.check.count)
      let line = "\(word(check.state))  \(name)  \(check.message)"
      guard let remedy = check.remedy else { return line }
      return line + "\n" + String(repeating: " ", count: 9 + width + 2) + "Try: " + remedy
    }.joined(separator: "\n")
  }

  private static func word(_ state: DoctorCheck.State) -> String {
    switch state {
    case .ok: "ok     "
    case .warning: "note   "
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
        remedy: "scripts/install.sh")
    }
    switch values["ActiveState"] {
    case "failed"?:
      return DoctorCheck(
        "unit", .failed, "The service has failed (\(values["Result"] ?? "for an unknown reason")).",
        remedy: "journalctl --user -u blurtd -n 20")
    case "active"?, "activating"?, "reloading"?:
      return DoctorCheck("unit", .ok, "The service runs (\(values["UnitFileState"] ?? "unknown")).")
    default:
      return DoctorCheck(
        "unit", .warning, "The service is installed and does not run.", remedy: "systemctl --user start blurtd")
    }
  }
}
