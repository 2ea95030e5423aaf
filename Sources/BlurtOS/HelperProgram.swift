internal import CLinux
internal import Glibc

/// Runs a program, waits for it and returns what it printed.
package enum HelperProgram {
  package struct Result: Sendable, Hashable {
    /// Standard output, at most as long as was allowed.
    package let output: [UInt8]
    /// Whether there was more of it.
    package let isCutShort: Bool
    /// The last bytes of standard error, `errorLimit` at most.
    package let errorTail: [UInt8]
    /// The exit status, 0 to 255; nil where a signal, the time limit or the caller ended it.
    package let status: Int32?
    /// The signal that ended it, which was not ours; nil where it ended otherwise.
    package let signal: Int32?

    package init(
      output: [UInt8], isCutShort: Bool = false, errorTail: [UInt8] = [], status: Int32?, signal: Int32? = nil
    ) {
      self.output = output
      self.isCutShort = isCutShort
      self.errorTail = errorTail
      self.status = status
      self.signal = signal
    }
  }

  /// The most bytes of standard error that are kept: its last lines say why.
  package static let errorLimit = 4_096
  /// How long a program that is given up has between SIGTERM and SIGKILL.
  package static let endingGrace: Duration = .milliseconds(300)

  /// The first executable of that name in `PATH`, or nil.
  package static func find(_ name: String, path: String) -> String? {
    path.split(separator: ":").lazy
      .map { "\($0)/\(name)" }
      .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }

  /// Runs the program in a process group of its own, with exactly this environment.
  ///
  /// Standard input is `input`, or `/dev/null`; nothing else is inherited. Blocks until it has ended, or until `limit` has
  /// passed or `cancelled` has become readable, when the whole group is ended: call on a `WorkerThread` only. A program
  /// that ends may leave others behind; nobody waits for them.
  package static func run(
    _ program: String, arguments: [String], environment: [String: String], limit: Duration,
    outputLimit: Int = 65_536, input: Int32? = nil, cancelled: Int32? = nil
  ) throws(Errno) -> Result {
    let outputs = try makePipe()
    let output = FileDescriptor(owning: outputs[0])
    let outputEnd = FileDescriptor(owning: outputs[1])
    let failures = try makePipe()
    let errors = FileDescriptor(owning: failures[0])
    let errorEnd = FileDescriptor(owning: failures[1])
    let child = try spawn(
      program, arguments: arguments, environment: environment, input: input, output: outputEnd.raw,
      errors: errorEnd.raw)
    // Before anything that can fail: from here on somebody must wait for the child.
    var streams = Streams(output: output.raw, errors: errors.raw, outputLimit: outputLimit)
    do throws(Errno) {
      try outputEnd.close()
      try errorEnd.close()
    } catch {
      // Closed all the same.
    }
    // Negative on a kernel that has none (before Linux 5.3).
    let process = FileDescriptor(owning: blurt_linux_pidfd_open(child))
    let inTime = streams.collect(process: process.raw, until: MonotonicClock.now() + limit, cancelled: cancelled)
    if !inTime {
      // The child has not been waited for, so its number and its group's are nobody else's.
      kill(-child, SIGTERM)
      streams.drain(process: process.raw, until: MonotonicClock.now() + endingGrace)
      kill(-child, SIGKILL)
    }
    var status: Int32 = 0
    _ = try Syscall.run("waitpid") { waitpid(child, &status, 0) }
    let signal = status & 0x7f
    return Result(
      output: streams.outputBytes, isCutShort: streams.isCutShort, errorTail: streams.errorBytes,
      status: inTime && signal == 0 ? (status >> 8) & 0xff : nil, signal: inTime && signal != 0 ? signal : nil)
  }

  /// Both ends, the reader's first; a read never blocks. Each belongs to the caller.
  private static func makePipe() throws(Errno) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    try Syscall.run("pipe") { blurt_linux_pipe(&ends) }
    _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
    return ends
  }

  private static func spawn(
    _ program: String, arguments: [String], environment: [String: String], input: Int32?, output: Int32,
    errors: Int32
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
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
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw Errno(code, call: "posix_spawn \(program)") }
    return child
  }

  /// What comes out of a running program.
  private struct Streams {
    private var descriptors: [Int32]
    private let outputLimit: Int
    private(set) var outputBytes: [UInt8] = []
    private(set) var errorBytes: [UInt8] = []
    private(set) var isCutShort = false
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// Four times what a pipe holds: after that the deadline, the caller and the process are looked at again.
    private static let readsInARow = 16

    init(output: Int32, errors: Int32, outputLimit: Int) {
      descriptors = [output, errors]
      self.outputLimit = outputLimit
    }

    /// Reads until the program has ended. False where the deadline or the caller came first.
    mutating func collect(process: Int32, until deadline: Duration, cancelled: Int32?) -> Bool {
      while true {
        // Without a descriptor for the process, the end of both streams stands for its own.
        if process < 0, descriptors.allSatisfy({ $0 < 0 }) { return true }
        let left = deadline - MonotonicClock.now()
        let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return false }
        // A negative descriptor is skipped.
        var set = (descriptors + [process, cancelled ?? -1]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let ready = poll(&set, nfds_t(set.count), Int32(min(milliseconds, 60_000)))
        guard ready > 0 else { continue }
        if set[3].revents != 0 { return false }
        for index in descriptors.indices where set[index].revents != 0 { read(index) }
        if set[2].revents != 0 {
          // What it wrote before its end is all there.
          for index in descriptors.indices { read(index) }
          return true
        }
      }
    }

    /// Waits that long for the end of a program that was told to end.
    mutating func drain(process: Int32, until deadline: Duration) {
      _ = collect(process: process, until: deadline, cancelled: nil)
    }

    /// Reads what there is, but not for ever where it is written faster.
    private mutating func read(_ index: Int) {
      for _ in 0..<Self.readsInARow where descriptors[index] >= 0 {
        let descriptor = descriptors[index]
        let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        let code = errno
        if count < 0 && code == EINTR { continue }
        if count < 0 && code == EAGAIN { return }
        guard count > 0 else {
          descriptors[index] = -1
          return
        }
        if index == 0 {
          let room = max(0, outputLimit - outputBytes.count)
          outputBytes += buffer[..<min(count, room)]
          if count > room { isCutShort = true }
        } else {
          errorBytes += buffer[..<count]
          if errorBytes.count > errorLimit { errorBytes.removeFirst(errorBytes.count - errorLimit) }
        }
      }
    }
  }
}
