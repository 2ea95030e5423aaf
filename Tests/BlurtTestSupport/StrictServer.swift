internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The dictation service, played by `Tests/Rig/strict_server.py` in a process of its own.
///
/// Ends with the test: by `stop`, by `deinit`, and when this process dies, as its standard input then ends.
public final class StrictServer: Sendable {
  /// One line of the server's log.
  public struct Event: Decodable, Sendable {
    public let event: String
    /// CLOCK_MONOTONIC, in seconds.
    public let t: Double
    public let connection: Int
    public let method: String?
    public let target: String?
    public let headers: [String: String]?
    public let reused: Bool?
    public let status: Int?
    public let bytes: Int?
    /// Of a chunk: the audio that had arrived with it.
    public let audioBytes: Int?
    public let reason: String?
    public let correlation: Double?
    /// Of a form: whether a parser of real servers (python-multipart) is installed and read the same.
    public let secondParser: Bool?

    private enum CodingKeys: String, CodingKey {
      case event, t, connection, method, target, headers, reused, status, bytes, reason, correlation
      case secondParser = "second_parser"
      case audioBytes = "audio_bytes"
    }
  }

  /// Whether the machine can run it. `openssl` is needed for TLS alone.
  public static let isAvailable = access("/usr/bin/python3", X_OK) == 0

  public let port: Int
  private let usesTLS: Bool
  private let host: String
  private let process: ServerProcess
  /// Ends the script when it closes, also by the death of this process.
  private let standardInput: Mutex<Int32?>

  /// Starts the server and waits until it listens. `arguments` are the script's own.
  public init(
    tls: Bool = false, isExpired: Bool = false, host: String = "127.0.0.1", faults: [String] = [],
    _ arguments: String...
  ) throws {
    process = try ServerProcess()
    let folder = process.folder
    usesTLS = tls
    self.host = host
    var command = [
      "/usr/bin/python3", "-B", ServerProcess.rig + "strict_server.py", "--until-stdin-ends", "--host", host, "--log",
      folder + "/log", "--control", folder + "/control",
    ]
    if tls {
      try process.makeCertificate(isExpired: isExpired)
      command += ["--tls", folder + "/cert.pem", folder + "/key.pem"]
    }
    command += faults.flatMap { ["--fault", $0] } + arguments
    let (input, output) = (try ServerProcess.makePipe(), try ServerProcess.makePipe())
    standardInput = Mutex(input.write)
    defer { close(output.read) }
    do {
      defer {
        close(input.read)
        close(output.write)
      }
      try process.start(command, input: input.read, output: output.write)
    }
    struct Ready: Decodable { let port: Int }
    guard let line = ServerProcess.line(from: output.read, seconds: 20),
      let ready = try? JSONDecoder().decode(Ready.self, from: Data(line))
    else { throw TestServerFailure(description: "the strict server did not start") }
    port = ready.port
  }

  deinit { stop() }

  /// A folder of this server's own, removed by `stop`.
  public var folder: String { process.folder }
  /// The authority that signed the server's certificate.
  public var authorityPath: String { folder + "/ca.pem" }

  /// `http://127.0.0.1:PORT`; with TLS `https://localhost:PORT`, or the host it was given.
  public var baseURL: String {
    usesTLS ? "https://\(host == "127.0.0.1" ? "localhost" : host):\(port)" : "http://\(host):\(port)"
  }

  /// What has happened so far.
  public var events: [Event] {
    (TestFile.bytes(folder + "/log") ?? []).split(separator: UInt8(ascii: "\n"))
      .compactMap { try? JSONDecoder().decode(Event.self, from: Data($0)) }
  }

  public func events(_ name: String) -> [Event] { events.filter { $0.event == name } }

  /// From the next request on, these faults instead of those it was started with.
  public func setFaults(_ faults: [String]) throws {
    try Data(faults.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/control"))
  }

  /// Returns once that many such events are there; throws after ten seconds.
  @discardableResult
  public func wait(for name: String, count: Int = 1) async throws -> [Event] {
    try await wait("\(count) × \(name)") { events in
      let matching = events.filter { $0.event == name }
      return matching.count >= count ? matching : nil
    }
  }

  /// Returns what the condition finds in the log; throws after ten seconds.
  public func wait<Value>(_ what: String, _ condition: ([Event]) -> Value?) async throws -> Value {
    for _ in 0..<5_000 {
      if let value = condition(events) { return value }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw TestServerFailure(description: "the strict server has not seen \(what): \(events)")
  }

  /// Ends the process and removes the folder.
  public func stop() {
    process.stop()
    let input = standardInput.withLock { input in
      defer { input = nil }
      return input
    }
    if let input { close(input) }
  }
}
