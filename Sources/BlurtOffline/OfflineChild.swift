internal import BlurtEngine
package import BlurtOS
internal import CMoonshine
internal import Glibc
internal import Synchronization

/// One run of the engine's process: three pipes and the thread that owns them.
///
/// The thread starts the process, because the kernel kills a child that asked to die with its parent when that very
/// thread ends. It writes what `send` leaves, cuts stdout into replies, drains stderr, and reaps the process at its end.
/// `send` and `kill` may be called from any thread. The owner joins after `.ended`.
package final class OfflineChild: Sendable {
  package enum Event: Sendable {
    case reply(OfflineReply)
    /// A line that is not a reply.
    case unreadableLine
    /// The last event.
    case ended(OfflineEnding)
  }

  private struct State {
    /// Nil before the start and after the process was reaped: a number may then belong to another process.
    var processID: pid_t?
    var outgoing: [UInt8] = []
    var isKilled = false
  }

  /// What the thread and the callers share; the thread must not keep the child itself alive.
  private final class Shared: Sendable {
    let state = Mutex(State())
    let wakeup: Wakeup

    init() throws(Errno) { wakeup = try Wakeup() }
  }

  /// In order, unbounded (a process answers once for each request), one consumer.
  package let events: AsyncStream<Event>
  private let shared: Shared
  private let thread: WorkerThread

  /// Starts the thread, which starts the process. What fails later comes as `.ended(.notStarted)`.
  ///
  /// `environment` is all that the process gets; of the descriptors it gets stdin, stdout and stderr as pipes and no
  /// other.
  package init(program: String, arguments: [String], environment: [String: String]) throws(Errno) {
    let shared = try Shared()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    self.events = events
    self.shared = shared
    thread = try WorkerThread(name: "blurt-offline") {
      let ending = Self.run(program, arguments, environment, shared, continuation)
      continuation.yield(.ended(ending))
      continuation.finish()
    }
  }

  deinit {
    kill()
    thread.join()
  }

  /// The process while it lives.
  package var processID: Int32? { shared.state.withLock { $0.processID } }

  /// Leaves a request for the process.
  package func send(_ request: OfflineRequest) {
    let line = OfflineLine.encode(request)
    shared.state.withLock { $0.outgoing += line }
    shared.wakeup.signal()
  }

  /// Ends the process at once, and what it started. It holds nothing worth saving.
  package func kill() {
    shared.state.withLock { state in
      state.isKilled = true
      if let processID = state.processID { Self.killGroup(processID) }
    }
    shared.wakeup.signal()
  }

  /// Waits for the thread, which ends with `.ended`.
  package func join() { thread.join() }

  /// The process leads a group of its own, so that a key in a terminal does not reach it.
  private static func killGroup(_ processID: pid_t) {
    if Glibc.kill(-processID, SIGKILL) == -1 { _ = Glibc.kill(processID, SIGKILL) }
  }

  // MARK: The thread

  private static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ shared: Shared,
    _ events: AsyncStream<Event>.Continuation
  ) -> OfflineEnding {
    do throws(Errno) {
      // A write to a process that is gone is an error here, not the end of the daemon.
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &set, nil)

      let input = try Pipe()
      let output = try Pipe()
      let errors = try Pipe()
      let processID = try spawn(
        program, arguments, environment, input: input.readEnd.raw, output: output.writeEnd.raw,
        errors: errors.writeEnd.raw)
      shared.state.withLock { state in
        state.processID = processID
        if state.isKilled { killGroup(processID) }
      }
      let ends = Ends(input: input.keepWriteEnd(), output: output.keepReadEnd(), errors: errors.keepReadEnd())
      talk(ends, shared, events)
      return reap(shared)
    } catch {
      return .notStarted(error)
    }
  }

  private struct Pipe: ~Copyable {
    let readEnd: FileDescriptor
    let writeEnd: FileDescriptor

    init() throws(Errno) {
      var ends: [Int32] = [-1, -1]
      try Syscall.run("pipe2") { blurt_offline_pipe(&ends) }
      readEnd = FileDescriptor(owning: ends[0])
      writeEnd = FileDescriptor(owning: ends[1])
    }

    consuming func keepReadEnd() -> FileDescriptor { readEnd }
    consuming func keepWriteEnd() -> FileDescriptor { writeEnd }
  }

  /// Our ends of the pipes.
  private struct Ends: ~Copyable {
    let input: FileDescriptor
    let output: FileDescriptor
    let errors: FileDescriptor
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], input: Int32, output: Int32,
    errors: Int32
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Also what somebody forgot to mark close-on-exec: no socket of the daemon may get in.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    var strings = ([program] + arguments).map { strdup($0) }
    strings.append(nil)
    var variables = environment.map { strdup("\($0.key)=\($0.value)") }
    variables.append(nil)
    defer { for string in strings + variables { free(string) } }
    var processID = pid_t()
    let code = posix_spawn(&processID, program, &actions, &attributes, strings, variables)
    guard code == 0 else { throw Errno(code, call: "start \(program)") }
    return processID
  }

  /// Moves bytes until the process closes its stdout or is killed.
  private static func talk(
    _ ends: borrowing Ends, _ shared: Shared, _ events: AsyncStream<Event>.Continuation
  ) {
    for descriptor in [ends.input.raw, ends.output.raw, ends.errors.raw] {
      try? UnixSocket.setNonBlocking(descriptor, true)
    }
    var lines = OfflineLineBuffer()
    var waiting: [UInt8] = []
    var errorsAreOpen = true
    var inputIsOpen = true
    while true {
      let isKilled = shared.state.withLock { state in
        waiting += state.outgoing
        state.outgoing = []
        return state.isKilled
      }
      if isKilled { return }
      var set = [
        pollfd(fd: ends.output.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: shared.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errorsAreOpen ? ends.errors.raw : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: inputIsOpen && !waiting.isEmpty ? ends.input.raw : -1, events: Int16(POLLOUT), revents: 0),
      ]
      _ = poll(&set, 4, -1)
      if set[1].revents != 0 { shared.wakeup.clear() }
      // The library's own words: read, so that it never waits for us, and dropped, since they may quote the speech.
      if set[2].revents != 0, drain(ends.errors) == nil { errorsAreOpen = false }
      if set[3].revents != 0 {
        do throws(Errno) {
          let written = try write(waiting, to: ends.input)
          waiting.removeFirst(written)
        } catch {
          inputIsOpen = false
        }
      }
      if set[0].revents != 0 {
        guard let bytes = drain(ends.output) else { return }
        for line in lines.append(bytes) {
          events.yield(OfflineLine.decode(OfflineReply.self, from: line).map { .reply($0) } ?? .unreadableLine)
        }
        if lines.isOverfull { return }
      }
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: borrowing FileDescriptor) throws(Errno) -> Int {
    let raw = descriptor.raw
    return try Syscall.runNonBlocking("write") {
      bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
    } ?? 0
  }

  /// What can be read now; nil at the end.
  private static func drain(_ descriptor: borrowing FileDescriptor) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let raw = descriptor.raw
    do throws(Errno) {
      guard let count = try Syscall.runNonBlocking("read", { Glibc.read(raw, &bytes, bytes.count) }) else { return [] }
      return count == 0 ? nil : Array(bytes[..<count])
    } catch {
      return nil
    }
  }

  /// Waits for the process, whose pipes are closed; one that lives on is killed after 200 ms.
  private static func reap(_ shared: Shared) -> OfflineEnding {
    for attempt in 0... {
      let ending = shared.state.withLock { state -> OfflineEnding? in
        guard let processID = state.processID else { return .exited(0) }
        var status: Int32 = 0
        let result = waitpid(processID, &status, WNOHANG)
        if result == 0 {
          if attempt == 40 { killGroup(processID) }
          return nil
        }
        // What it may have started is not left behind.
        _ = Glibc.kill(-processID, SIGKILL)
        state.processID = nil
        let number = status & 0x7F
        return number == 0 ? .exited((status >> 8) & 0xFF) : .killed(number)
      }
      if let ending { return ending }
      _ = poll(nil, 0, 5)
    }
    return .exited(0)
  }
}
