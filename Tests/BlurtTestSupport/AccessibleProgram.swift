internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// An accessibility bus of the test's own with one program on it, played by `Tests/Rig/accessible.py`.
///
/// Ends with the test: by `stop`, by `deinit`, and when this process dies, as its standard input then ends.
public final class AccessibleProgram: Sendable {
  /// Whether the machine can run it.
  public static let isAvailable = LogindBus.isAvailable
  /// Why not.
  public static let absence = "needs dbus-daemon and python3-gi, for an accessibility bus of the test's own"

  /// The bus of the session, which knows the accessibility bus.
  public let address: String
  /// The program's process.
  public let processID: Int32
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
        ["/usr/bin/python3", "-B", ServerProcess.rig + "accessible.py"], input: input.read, output: output.write)
    }
    struct Ready: Decodable {
      let address: String
      let pid: Int32
    }
    guard let line = ServerProcess.line(from: output.read, seconds: 60),
      let ready = try? JSONDecoder().decode(Ready.self, from: Data(line))
    else { throw TestServerFailure(description: "the test's accessibility bus did not start") }
    address = ready.address
    processID = ready.pid
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
    while ServerProcess.line(from: ends.output, seconds: 30) != nil {}
    close(ends.output)
    process.stop()
  }

  /// What the program shows: windows as JSON objects.
  public func show(_ windows: String...) throws {
    try send(#"{"do":"tree","windows":[\#(windows.joined(separator: ","))]}"#)
  }

  /// One active window with one object in it that has the focus, given by the members of its JSON object.
  public func focus(_ members: String, states: [String] = ["focused", "editable", "showing"], search: Bool = true)
    throws
  {
    let states = states.map { "\"\($0)\"" }.joined(separator: ",")
    try show(
      #"{"name":"Letter","states":["active"],"search":\#(search),"children":[{"states":["showing"],"children":["#
        + #"{"states":["showing"],"role":43},{"states":[\#(states)],\#(members)}]}]}"#)
  }

  /// That call is never answered: an empty word for all of the program's, nil for none.
  public func mute(_ member: String?) throws {
    try send(#"{"do":"mute","member":\#(member.map { "\"\($0)\"" } ?? "null")}"#)
  }

  public func refuse(_ member: String?) throws {
    try send(#"{"do":"refuse","member":\#(member.map { "\"\($0)\"" } ?? "null")}"#)
  }

  public func registry(runs: Bool) throws { try send(#"{"do":"registry","runs":\#(runs)}"#) }

  /// What was asked since the last time, in order: methods, and properties by their names.
  public func calls() throws -> [String] { try send(#"{"do":"calls"}"#).members ?? [] }

  private struct Answer: Decodable {
    let done: Bool
    let members: [String]?
  }

  @discardableResult
  private func send(_ command: String) throws -> Answer {
    try ends.withLock { ends in
      let bytes = Array((command + "\n").utf8)
      guard let ends, write(ends.input, bytes, bytes.count) == bytes.count,
        let line = ServerProcess.line(from: ends.output, seconds: 60),
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(line))
      else { throw TestServerFailure(description: "the test's accessibility bus did not take \(command)") }
      return answer
    }
  }
}
