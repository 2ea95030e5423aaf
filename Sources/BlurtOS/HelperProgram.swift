internal import CLinux
internal import Glibc

/// Runs a small program, waits for it and returns what it printed.
package enum HelperProgram {
  package struct Result: Sendable, Hashable {
    /// Standard output, at most as long as was allowed.
    package let output: [UInt8]
    /// The exit status; 128 + signal where a signal ended it; nil where the time limit did.
    package let status: Int32?

    package init(output: [UInt8], status: Int32?) {
      self.output = output
      self.status = status
    }
  }

  /// The first executable of that name in `PATH`, or nil.
  package static func find(_ name: String, path: String) -> String? {
    path.split(separator: ":").lazy
      .map { "\($0)/\(name)" }
      .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }

  /// Runs the program with standard input and error on `/dev/null` and exactly this environment.
  ///
  /// Blocks until it has ended or `limit` has passed, when it is killed: call on a `WorkerThread` only.
  package static func run(
    _ program: String, arguments: [String], environment: [String: String], limit: Duration, outputLimit: Int = 65_536
  ) throws(Errno) -> Result {
    var ends: [Int32] = [-1, -1]
    try Syscall.run("pipe") { blurt_linux_pipe(&ends) }
    let reader = FileDescriptor(owning: ends[0])
    let writer = FileDescriptor(owning: ends[1])
    let child = try spawn(program, arguments: arguments, environment: environment, output: writer.raw)
    try writer.close()
    let deadline = MonotonicClock.now() + limit
    let (output, inTime) = collect(reader.raw, deadline: deadline, outputLimit: outputLimit)
    if !inTime { kill(child, SIGKILL) }
    var status: Int32 = 0
    _ = try Syscall.run("waitpid") { waitpid(child, &status, 0) }
    guard inTime else { return Result(output: output, status: nil) }
    let signal = status & 0x7f
    return Result(output: output, status: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
  }

  private static func spawn(
    _ program: String, arguments: [String], environment: [String: String], output: Int32
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child must not inherit our blocked and ignored signals.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw Errno(code, call: "posix_spawn \(program)") }
    return child
  }

  private static func collect(
    _ descriptor: Int32, deadline: Duration, outputLimit: Int
  ) -> (output: [UInt8], inTime: Bool) {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let left = deadline - MonotonicClock.now()
      let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0 else { return (output, false) }
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&set, 1, Int32(min(milliseconds, 60_000)))
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return (output, true) }
      output += buffer[..<min(count, max(0, outputLimit - output.count))]
    }
  }
}
