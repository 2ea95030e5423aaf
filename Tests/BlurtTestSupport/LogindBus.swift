internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A system bus of the test's own with a logind on it, played by `Tests/Rig/logind.py`.
///
/// Ends with the test: by `stop`, by `deinit`, and when this process dies, as its standard input then ends.
public final class LogindBus: Sendable {
  /// Whether the machine can run it.
  public static let isAvailable: Bool = {
    let folders = ["/usr/lib/python3/dist-packages/gi", "/usr/lib64/python3/site-packages/gi"]
    return access("/usr/bin/python3", X_OK) == 0 && access("/usr/bin/dbus-daemon", X_OK) == 0
      && folders.contains { access($0, F_OK) == 0 }
  }()
  /// Why not.
  public static let absence = "needs dbus-daemon and python3-gi, for a logind of the test's own"

  /// For DBUS_SYSTEM_BUS_ADDRESS.
  public let address: String
  private let process: ServerProcess
  private struct Ends {
    var input: Int32
    var output: Int32
  }
  private let ends: Mutex<Ends?>

  public init() throws {
    process = try ServerProcess()
    let (input, output) = (try ServerProcess.makePipe(), try ServerProcess.makePipe())
    ends = Mutex(Ends(input: input.write, output: output.read))
    do {
      defer {
        close(input.read)
        close(output.write)
      }
      try process.start(
        ["/usr/bin/python3", "-B", ServerProcess.rig + "logind.py"], input: input.read, output: output.write)
    }
    struct Ready: Decodable { let address: String }
    guard let line = ServerProcess.line(from: output.read, seconds: 20),
      let ready = try? JSONDecoder().decode(Ready.self, from: Data(line))
    else { throw TestServerFailure(description: "the test's logind did not start") }
    address = ready.address
  }

  deinit { stop() }

  /// Ends the bus and everything on it.
  public func stop() {
    let ends = ends.withLock { ends in
      defer { ends = nil }
      return ends
    }
    guard let ends else { return }
    close(ends.input)
    // Its own end takes the bus along; a signal would leave that behind.
    while ServerProcess.line(from: ends.output, seconds: 10) != nil {}
    close(ends.output)
    process.stop()
  }

  // MARK: What happens

  /// Makes a session or changes one; what is not given stays as it is, or is that of an active graphical one.
  public func session(_ id: String, _ changes: (name: String, json: String)...) throws {
    let members = changes.map { ",\"\($0.name)\":\($0.json)" }.joined()
    try send(#"{"do":"session","id":"\#(id)"\#(members)}"#)
  }

  public func remove(_ id: String) throws { try send(#"{"do":"remove","id":"\#(id)"}"#) }

  /// Names a user's main session.
  public func display(_ id: String, of user: UInt32) throws {
    try send(#"{"do":"display","user":\#(user),"id":"\#(id)"}"#)
  }

  /// Asks a session to lock or to unlock itself, as `loginctl` does.
  public func ask(_ id: String, toLock: Bool) throws {
    try send(#"{"do":"\#(toLock ? "lock" : "unlock")","id":"\#(id)"}"#)
  }

  /// The machine is about to sleep, or has woken up.
  public func sleep(_ begins: Bool) throws { try send(#"{"do":"sleep","begins":\#(begins)}"#) }

  /// logind hears calls and does not answer.
  public func mute(_ isMute: Bool) throws { try send(#"{"do":"mute","is":\#(isMute)}"#) }

  /// logind gives no inhibitor lock.
  public func refuse(_ isRefused: Bool) throws { try send(#"{"do":"refuse","is":\#(isRefused)}"#) }

  /// logind leaves the bus or comes back.
  public func logind(runs: Bool) throws { try send(#"{"do":"logind","runs":\#(runs)}"#) }

  /// A user's service manager is on the bus as well, and has been told these variables.
  public func environment(_ variables: [String: String]) throws {
    let members = variables.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
    try send(#"{"do":"environment","is":{\#(members)}}"#)
  }

  /// The bus ends or starts again.
  public func bus(runs: Bool) throws { try send(#"{"do":"bus","runs":\#(runs)}"#) }

  /// How many inhibitor locks are held.
  public func holds() throws -> Int { try send(#"{"do":"holds"}"#).count ?? 0 }

  /// How many inhibitor locks were ever taken.
  public func holdsTaken() throws -> Int { try send(#"{"do":"holds"}"#).taken ?? 0 }

  /// How many calls logind has answered.
  public func calls() throws -> Int { try send(#"{"do":"calls"}"#).count ?? 0 }

  private struct Answer: Decodable {
    let done: String
    let count: Int?
    let taken: Int?
  }

  @discardableResult
  private func send(_ command: String) throws -> Answer {
    try ends.withLock { ends in
      let bytes = Array((command + "\n").utf8)
      guard let ends, write(ends.input, bytes, bytes.count) == bytes.count,
        let line = ServerProcess.line(from: ends.output, seconds: 20),
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(line))
      else { throw TestServerFailure(description: "the test's logind did not take \(command)") }
      return answer
    }
  }
}
