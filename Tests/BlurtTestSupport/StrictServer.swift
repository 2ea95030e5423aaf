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

    private enum CodingKeys: String, CodingKey {
      case event, t, connection, method, target, headers, reused, status, bytes, reason, correlation
      case audioBytes = "audio_bytes"
    }
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Whether the machine can run it. `openssl` is needed for TLS alone.
  public static let isAvailable = access("/usr/bin/python3", X_OK) == 0

  public let port: Int
  /// A folder of this server's own, removed by `stop`.
  public let folder: String
  /// The authority that signed the server's certificate.
  public var authorityPath: String { folder + "/ca.pem" }

  private let usesTLS: Bool
  private let host: String
  private let process: Mutex<pid_t>
  private let standardInput: Int32

  /// Starts the server and waits until it listens. `arguments` are the script's own.
  public init(tls: Bool = false, host: String = "127.0.0.1", faults: [String] = [], _ arguments: String...) throws {
    folder = try Self.makeFolder()
    usesTLS = tls
    self.host = host
    let rig = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Rig/"
    var command = [
      "/usr/bin/python3", "-B", rig + "strict_server.py", "--until-stdin-ends", "--host", host, "--log",
      folder + "/log", "--control", folder + "/control",
    ]
    if tls {
      try Self.waitForExit(Self.spawn(["/bin/sh", rig + "make-cert.sh", folder], input: nil, output: nil))
      command += ["--tls", folder + "/cert.pem", folder + "/key.pem"]
    }
    command += faults.flatMap { ["--fault", $0] } + arguments
    let (input, output) = (try Self.pipe(), try Self.pipe())
    let id = try Self.spawn(command, input: input.read, output: output.write)
    close(input.read)
    close(output.write)
    defer { close(output.read) }
    standardInput = input.write
    process = Mutex(id)
    struct Ready: Decodable { let port: Int }
    guard let line = Self.line(from: output.read, seconds: 20),
      let ready = try? JSONDecoder().decode(Ready.self, from: Data(line))
    else {
      Self.end(id)
      close(input.write)
      throw Failure(description: "the strict server did not start")
    }
    port = ready.port
  }

  deinit { stop() }

  /// `http://127.0.0.1:PORT`; with TLS `https://localhost:PORT`, or the host it was given.
  public var baseURL: String {
    usesTLS ? "https://\(host == "127.0.0.1" ? "localhost" : host):\(port)" : "http://\(host):\(port)"
  }

  /// What has happened so far.
  public var events: [Event] {
    guard let data = try? Data(contentsOf: URL(filePath: folder + "/log")) else { return [] }
    return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONDecoder().decode(Event.self, from: $0) }
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
    throw Failure(description: "the strict server has not seen \(what): \(events)")
  }

  /// Ends the process and removes the folder.
  public func stop() {
    let id = process.withLock { id in
      defer { id = 0 }
      return id
    }
    guard id > 0 else { return }
    Self.end(id)
    close(standardInput)
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Processes

  private static func makeFolder() throws -> String {
    var template = Array("/tmp/blurt-strict-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "no folder in /tmp") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(_ command: [String], input: Int32?, output: Int32?) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    // Swift's own threads block signals, and a child inherits that: SIGTERM would not end it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    guard posix_spawn(&id, command[0], &actions, &attributes, &arguments, environ) == 0 else {
      throw Failure(description: "\(command[0]) could not be started")
    }
    return id
  }

  private static func waitForExit(_ id: pid_t) throws {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    guard status == 0 else { throw Failure(description: "make-cert.sh failed") }
  }

  private static func end(_ id: pid_t) {
    kill(id, SIGTERM)
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
  }

  /// The first line that comes; nil where none does in time.
  private static func line(from descriptor: Int32, seconds: Int32) -> [UInt8]? {
    var line: [UInt8] = []
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while Glibc.poll(&poll, 1, seconds * 1_000) > 0 {
      var byte: UInt8 = 0
      guard read(descriptor, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    return nil
  }
}
