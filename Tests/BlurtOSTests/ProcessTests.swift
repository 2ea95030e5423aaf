import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtOS

@Suite("Processes and locks") struct ProcessTests {
  private func line(_ name: String, _ state: String, start: String) -> [UInt8] {
    Array("77 (\(name)) \(state) 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 \(start) 20 21\n".utf8)
  }

  @Test("Y-126 a process is told by field 22 of its stat, whatever its name has in it")
  func startTime() {
    #expect(ProcessStart.ticks(in: line("sleep", "S", start: "12345")) == 12_345)
    #expect(ProcessStart.ticks(in: line("a) Z 1 (b c", "R", start: "7")) == 7)
    #expect(ProcessStart.ticks(in: line("x", "Z", start: "7")) == nil)
    #expect(ProcessStart.ticks(in: line("x", "X", start: "7")) == nil)
    for broken in ["", "77", "77 (x", "77 (x) S 1 2", "77 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x 20"] {
      #expect(ProcessStart.ticks(in: Array(broken.utf8)) == nil)
    }
  }

  @Test("Y-126 this process has a start, and none has another's")
  func ownStart() throws {
    let own = try #require(ProcessStart.ticks(of: getpid()))
    #expect(own > 0)
    #expect(ProcessStart.ticks(of: getpid()) == own)
    for missing: Int32 in [0, -1, .max] { #expect(ProcessStart.ticks(of: missing) == nil) }
  }

  @Test("S-121 a look at a lock says who holds it and neither takes nor makes it")
  func lockHolder() throws {
    let folder = SocketFolder()
    let path = folder.file("a.lock")
    #expect(try FileLock.holder(at: path) == .nobody)
    #expect(access(path, F_OK) != 0)
    let lock = try FileLock.take(at: path)
    for _ in 0..<3 { #expect(try FileLock.holder(at: path) == .process(getpid())) }
    lock.unlock()
    #expect(try FileLock.holder(at: path) == .nobody)
    try FileLock.take(at: path).unlock()
    #expect(symlink(path, folder.file("link.lock")) == 0)
    #expect(throws: Errno.self) { try FileLock.holder(at: folder.file("link.lock")) }
  }

  @Test("S-133 the process behind a connection is watched by a descriptor")
  func peerProcess() throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket)
    let client = try UnixSocket.connect(to: folder.socket)
    try UnixSocket.setNonBlocking(listener.raw, true)
    guard let connection = try UnixSocket.accept(from: listener.raw),
      let process = try UnixSocket.peerProcess(of: connection.raw)
    else {
      Issue.record("there is no process")
      return
    }
    #expect(fcntl(process.raw, F_GETFD) & FD_CLOEXEC != 0)
    var set = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    #expect(poll(&set, 1, 0) == 0)
    _ = consume client
  }
}
