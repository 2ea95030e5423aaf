internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A program that a test talks to, with a folder of its own. Ended by `stop`, and killed by the kernel's means of
/// whoever owns it: see the servers.
final class ServerProcess: Sendable {
  /// Removed by `stop`.
  let folder: String
  private let id = Mutex<pid_t>(0)

  init() throws {
    var template = Array("/tmp/blurt-test-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestServerFailure(description: "no folder in /tmp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { stop() }

  /// The folder `Tests/Rig`, with a slash.
  static var rig: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Rig/"
  }

  /// Starts the program. `input` and `output` become its first two descriptors.
  func start(_ command: [String], input: Int32? = nil, output: Int32? = nil) throws {
    let started = try Self.spawn(command, input: input, output: output)
    id.withLock { $0 = started }
  }

  /// Writes `ca.pem`, `cert.pem` and `key.pem` into the folder.
  func makeCertificate(isExpired: Bool = false) throws {
    let script = try Self.spawn(
      ["/bin/sh", Self.rig + "make-cert.sh", folder] + (isExpired ? ["expired"] : []), input: nil, output: nil)
    guard Self.wait(script) == 0 else { throw TestServerFailure(description: "make-cert.sh failed") }
  }

  /// Ends the program and removes the folder.
  func stop() {
    let started = id.withLock { id in
      defer { id = 0 }
      return id
    }
    if started > 0 {
      kill(started, SIGTERM)
      _ = Self.wait(started)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Both ends close on exec.
  static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw TestServerFailure(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The first line that comes; nil where none does in time.
  static func line(from descriptor: Int32, seconds: Int32) -> [UInt8]? {
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
    // A rig that is preloaded into the tests, as umockdev's, is not for their servers.
    var variables =
      ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }.map { strdup("\($0.key)=\($0.value)") }
      + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var id = pid_t()
    guard posix_spawn(&id, command[0], &actions, &attributes, &arguments, &variables) == 0 else {
      throw TestServerFailure(description: "\(command[0]) could not be started")
    }
    return id
  }

  /// The wait status; 0 is success.
  private static func wait(_ id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    return status
  }
}

/// A server of a test could not be started, or has not seen what it was to see.
public struct TestServerFailure: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}
