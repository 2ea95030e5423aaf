import BlurtOS
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@Suite("Linux primitives", .timeLimit(.minutes(1))) struct PrimitiveTests {
  @Test("a descriptor is closed once, when its owner goes")
  func descriptor() throws {
    var raw: Int32 = -1
    do {
      let descriptor = try FileDescriptor.open("/dev/null", O_RDONLY)
      raw = descriptor.raw
      #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
    }
    // Another test may have got the number again: it must not be the same open file.
    var status = stat()
    #expect(fstat(raw, &status) == -1 || status.st_rdev != makedev(1, 3))
  }

  private func makedev(_ major: UInt64, _ minor: UInt64) -> UInt64 { major << 8 | minor }

  @Test("a failed call says which one and why")
  func failure() {
    #expect(throws: Errno(ENOENT, call: "open /nonexistent/file")) {
      _ = try FileDescriptor.open("/nonexistent/file", O_RDONLY)
    }
    #expect(Errno(EACCES, call: "open x").description == "open x: Permission denied")
  }

  @Test("a wakeup ends a poll on another thread, and the thread is joined with its name")
  func wakeup() throws {
    let wakeup = try Wakeup()
    let name = Mutex("")
    let thread = try WorkerThread(name: "blurt-test-name") {
      var set = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&set, 1, -1)
      let own = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      name.withLock { $0 = own ?? "" }
    }
    wakeup.signal()
    thread.join()
    #expect(name.withLock { $0 } == "blurt-test-name\n")
    wakeup.clear()
    var set = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&set, 1, 0) == 0)
  }

  @Test("S-133 the kernel tells who is at the other end of a socket")
  func socket() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/blurt-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let listener = try UnixSocket.listen(at: folder + "/s")
    try UnixSocket.setNonBlocking(listener.raw, true)
    if try UnixSocket.accept(from: listener.raw) != nil { Issue.record("nobody has connected yet") }
    let client = try UnixSocket.connect(to: folder + "/s")
    guard let server = try UnixSocket.accept(from: listener.raw) else {
      Issue.record("the connection was not accepted")
      return
    }
    #expect(try UnixSocket.peer(of: server.raw) == PeerCredentials(processID: getpid(), userID: getuid()))
    let sent = try Array("hello".utf8).withUnsafeBytes { try UnixSocket.send($0, to: client.raw) }
    #expect(sent == 5)
    let received = try server.read(upTo: 16)
    #expect(received == Array("hello".utf8))
    var status = stat()
    #expect(stat(folder + "/s", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("a socket path that is too long is an error, not a cut-off name")
  func longPath() {
    #expect(throws: (any Error).self) {
      _ = try UnixSocket.listen(at: "/tmp/" + String(repeating: "x", count: 110))
    }
  }

  @Test("a helper program's output and status are returned, and one that hangs is ended in time")
  func helper() throws {
    let shell = "/bin/sh"
    let done = try HelperProgram.run(
      shell, arguments: ["-c", "printf 'a b'; echo \"$SECRET\"; exit 3"], environment: ["PATH": "/bin"],
      limit: .seconds(20))
    #expect(done == .init(output: Array("a b\n".utf8), status: 3))
    let hung = try HelperProgram.run(
      shell, arguments: ["-c", "exec sleep 600"], environment: [:], limit: .milliseconds(50))
    #expect(hung.status == nil)
    let killed = try HelperProgram.run(shell, arguments: ["-c", "kill -9 $$"], environment: [:], limit: .seconds(20))
    #expect(killed.status == nil)
  }

  @Test("a helper program gets its input, its complaint is kept, and its output is bounded")
  func helperStreams() throws {
    let input = try MemoryFile.make(Array("head ".utf8), appending: "/etc/hostname", byteCount: 1)
    let result = try HelperProgram.run(
      "/bin/sh", arguments: ["-c", "cat; echo one >&2; echo two >&2"], environment: [:], limit: .seconds(20),
      outputLimit: 5, input: input.raw)
    #expect(
      result == .init(output: Array("head ".utf8), isCutShort: true, errorTail: Array("one\ntwo\n".utf8), status: 0))
    let loud = try HelperProgram.run(
      "/bin/sh", arguments: ["-c", "head -c 20000 /dev/zero | tr '\\0' x >&2; printf end >&2"],
      environment: ["PATH": "/bin:/usr/bin"],
      limit: .seconds(20))
    #expect(loud.errorTail.count == HelperProgram.errorLimit && loud.errorTail.suffix(3) == Array("end".utf8)[...])
  }

  @Test("a helper program that its caller gives up is ended with all that it started")
  func helperGivenUp() throws {
    let wakeup = try Wakeup()
    wakeup.signal()
    let start = ContinuousClock.now
    let result = try HelperProgram.run(
      "/bin/sh", arguments: ["-c", "sleep 600 & echo $!; wait"], environment: ["PATH": "/bin:/usr/bin"],
      limit: .seconds(600), cancelled: wakeup.descriptor)
    #expect(result.status == nil && ContinuousClock.now - start < .seconds(60))
  }

  @Test("a program is found in PATH by absolute folders only")
  func find() {
    #expect(HelperProgram.find("sh", path: "relative:/nonexistent:/bin") == "/bin/sh")
    #expect(HelperProgram.find("no-such-program", path: "/bin:/usr/bin") == nil)
  }
}
