internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A way to a server on this machine that loses its memory when it is told to, as a router does: `Tests/Rig/relay.py` in a
/// process of its own.
public final class ForgetfulRelay: Sendable {
  /// What has gone through it.
  public struct Report: Decodable, Sendable {
    /// All connections that were ever made to it.
    public let connections: Int
    /// Those that their clients have not closed.
    public let open: Int
    /// What clients sent into each of those that were muted.
    public let swallowed: [String]
  }

  public let port: Int
  private let process: ServerProcess
  private let input: Int32
  private let output: Int32

  /// Starts it and waits until it listens.
  public init(to port: Int) throws {
    process = try ServerProcess()
    let (input, output) = (try ServerProcess.makePipe(), try ServerProcess.makePipe())
    self.input = input.write
    self.output = output.read
    defer {
      close(input.read)
      close(output.write)
    }
    try process.start(
      ["/usr/bin/python3", "-B", ServerProcess.rig + "relay.py", "\(port)"], input: input.read, output: output.write)
    struct Ready: Decodable { let port: Int }
    guard let line = ServerProcess.line(from: output.read, seconds: 60),
      let ready = try? JSONDecoder().decode(Ready.self, from: Data(line))
    else { throw TestServerFailure(description: "the relay did not start") }
    self.port = ready.port
  }

  deinit {
    close(input)
    close(output)
    process.stop()
  }

  /// From now on, what is sent over the connections that are there now vanishes. Returns how many there are.
  public func mute() throws -> Int {
    struct Answer: Decodable { let muted: Int }
    return try ask("mute", Answer.self).muted
  }

  public func report() throws -> Report { try ask("report", Report.self) }

  private func ask<Answer: Decodable>(_ command: String, _ type: Answer.Type) throws -> Answer {
    let line = command + "\n"
    guard line.withCString({ write(input, $0, strlen($0)) }) == line.utf8.count,
      let answer = ServerProcess.line(from: output, seconds: 60)
    else { throw TestServerFailure(description: "the relay does not answer") }
    return try JSONDecoder().decode(type, from: Data(answer))
  }
}
