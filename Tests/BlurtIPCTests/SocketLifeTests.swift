import BlurtContract
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@testable import BlurtIPC

/// Locks, stale files, activation, and what happens when there is no room.
@Suite(.timeLimit(.minutes(2))) struct SocketLifeTests {
  private static let press = #"{"id":"1","cmd":"press"}"#

  private func answers(_ path: String) throws -> Bool {
    let client = try LineClient(path)
    try client.send(Self.press)
    return client.line()?.contains("started") == true
  }

  @Test("B-49 B-36 of two servers started at the same instant, 50 times, one listens and the other says who does")
  func twoAtOnce() async throws {
    let folder = SocketFolder()
    for _ in 0..<50 {
      let results = Mutex<[Result<ControlServer, ControlServerError>]>([])
      let ready = Mutex(0)
      for _ in 0..<2 {
        Thread.detachNewThread {
          ready.withLock { $0 += 1 }
          while ready.withLock({ $0 }) < 2 {}
          let result = Result { () throws(ControlServerError) in
            try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
          }
          results.withLock { $0.append(result) }
        }
      }
      #expect(await eventually { results.withLock { $0.count } == 2 })
      let servers = results.withLock { $0 }.compactMap { try? $0.get() }
      let errors = results.withLock { $0 }.compactMap { result -> ControlServerError? in
        if case .failure(let error) = result { error } else { nil }
      }
      #expect(servers.count == 1)
      #expect(errors == [.alreadyRunning(path: folder.socket, processID: getpid())])
      #expect(errors.first?.description.contains("process \(getpid())") == true)
      #expect(try answers(folder.socket))
      servers.first?.stop()
    }
  }

  @Test("B-36 a socket file left by a killed daemon is replaced, 50 times")
  func staleFile() throws {
    let folder = SocketFolder()
    for _ in 0..<50 {
      // What a kill leaves: the file, without a listener and without a lock.
      _ = try UnixSocket.listen(at: folder.socket)
      #expect(access(folder.socket, F_OK) == 0)
      let server = try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
      #expect(try answers(folder.socket))
      server.stop()
      #expect(access(folder.socket, F_OK) != 0)
    }
  }

  @Test("B-36 B-34 a daemon that was killed leaves nothing that stops the next one")
  func killed() async throws {
    let folder = SocketFolder()
    let path = folder.socket
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let server = try ControlServer(socket: .path(path), handler: StubControlHandler())
      _ = try LineClient(path)
      kill(getpid(), SIGKILL)
      server.stop()
    }
    #expect(access(path, F_OK) == 0)
    #expect(throws: ControlClientError.self) { try ControlClient(path: path) }
    let server = try ControlServer(socket: .path(path), handler: StubControlHandler())
    #expect(try answers(path))
    server.stop()
  }

  @Test("B-36 a socket on which something else listens is never removed")
  func foreignListener() throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket)
    #expect(throws: ControlServerError.alreadyListening(path: folder.socket)) {
      try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    }
    #expect(access(folder.socket, F_OK) == 0)
    // It was found out without connecting.
    try UnixSocket.setNonBlocking(listener.raw, true)
    let waiting = try UnixSocket.accept(from: listener.raw)
    let hasConnected = waiting != nil
    #expect(!hasConnected)
  }

  @Test("B-36 a file that is no socket is not removed")
  func notASocket() throws {
    let folder = SocketFolder()
    try Data("words".utf8).write(to: URL(fileURLWithPath: folder.socket))
    #expect(throws: ControlServerError.notASocket(path: folder.socket)) {
      try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.socket)) == Data("words".utf8))
  }

  @Test("B-36 a server that stops removes only the file it made")
  func replacedFile() throws {
    let folder = SocketFolder()
    let server = try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    #expect(rename(folder.socket, folder.file("moved")) == 0)
    try Data("words".utf8).write(to: URL(fileURLWithPath: folder.socket))
    server.stop()
    #expect(access(folder.socket, F_OK) == 0)
  }

  @Test("B-37 the socket's folder is made, for its user alone")
  func madeFolder() throws {
    let folder = SocketFolder()
    let path = folder.file("blurt/blurtd.sock")
    let server = try ControlServer(socket: .path(path), handler: StubControlHandler())
    defer { server.stop() }
    var status = stat()
    #expect(stat(folder.file("blurt"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    #expect(try answers(path))
  }

  @Test(
    "B-37 a folder that cannot be used gives one error of configuration that names it",
    arguments: [
      "/nonexistent/blurt/blurtd.sock", "/proc/blurt/blurtd.sock", "/dev/null/blurt/blurtd.sock", "/dev/null/b.sock",
    ])
  func badFolder(_ path: String) throws {
    do throws(ControlServerError) {
      let server = try ControlServer(socket: .path(path), handler: StubControlHandler())
      server.stop()
      Issue.record("it listens on \(path)")
    } catch {
      #expect(error.isConfiguration)
      #expect(error.description.contains(String(path.prefix { $0 != "b" }.dropLast())))
    }
  }

  @Test(
    "B-37 a read-only folder gives one error of configuration",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func readOnlyFolder() throws {
    let folder = SocketFolder()
    #expect(chmod(folder.path, 0o500) == 0)
    defer { chmod(folder.path, 0o700) }
    do throws(ControlServerError) {
      try ControlServer(socket: .path(folder.socket), handler: StubControlHandler()).stop()
      Issue.record("it listens")
    } catch {
      #expect(error.isConfiguration)
    }
  }

  @Test("S-146 a socket that was handed over is served, keeps its file, and is locked against a second daemon")
  func activated() throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket).release()
    let ours = dup(listener)
    defer { close(ours) }
    let server = try ControlServer(socket: .activated(listener), handler: StubControlHandler())
    #expect(try answers(folder.socket))
    #expect(throws: ControlServerError.alreadyRunning(path: folder.socket, processID: getpid())) {
      try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    }
    server.stop()
    #expect(access(folder.socket, F_OK) == 0)
    // The service manager still listens: a client waits for the next start, which answers it.
    let client = try LineClient(folder.socket)
    try client.send(Self.press)
    #expect(throws: ControlServerError.alreadyListening(path: folder.socket)) {
      try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    }
    let next = try ControlServer(socket: .activated(dup(ours)), handler: StubControlHandler())
    #expect(client.line()?.contains("started") == true)
    next.stop()
  }

  @Test("B-41 10,000 connections leave no descriptor behind")
  func tenThousand() async throws {
    await #expect(processExitsWith: .success) {
      let folder = SocketFolder()
      let handler = StubControlHandler()
      let server = try ControlServer(socket: .path(folder.socket), handler: handler)
      // Sockets alone: a sleeping task makes the runtime open descriptors of its own.
      func openCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
          return target?.hasPrefix("socket:") == true
        }.count
      }
      do {
        let client = try LineClient(folder.socket)
        try client.send(Self.press)
        guard client.line() != nil else { exit(1) }
      }
      guard await eventually({ handler.gone.count == 1 }) else { exit(1) }
      let before = try openCount()
      for number in 0..<10_000 {
        let client = try LineClient(folder.socket)
        switch number % 4 {
        case 0: break
        case 1: try client.send(Self.press)
        case 2: try client.send(bytes: Array("half".utf8))
        default:
          try client.send(Self.press)
          guard client.line() != nil else { exit(1) }
        }
      }
      // The first client's descriptor may still have been open when it was counted.
      guard try await eventually({ try openCount() <= before }) else { exit(2) }
      server.stop()
      exit(0)
    }
  }

  @Test("B-41 with a limit of 32 descriptors clients are told that there is no room, and the server lives on")
  func fewDescriptors() async throws {
    await #expect(processExitsWith: .success) {
      let folder = SocketFolder()
      // The clients live in this process too, so the server's own cap is set out of the way.
      let server = try ControlServer(
        socket: .path(folder.socket), handler: StubControlHandler(), limits: ServerLimits(clientCount: 1000))
      // The runtime opens descriptors for its first timer, and ends the process where there are none left.
      try await Task.sleep(for: .milliseconds(1))
      // Room for a few more than are open now: no less than 32 in all.
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      let most = rlim_t(max(32, open + 12))
      var limit = rlimit(rlim_cur: most, rlim_max: most)
      guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
      for _ in 0..<5 {
        var clients: [LineClient] = []
        while let client = try? LineClient(folder.socket), clients.count < 40 { clients.append(client) }
        guard clients.count > 3 else { exit(2) }
        // All descriptors are taken: one more client that gives one up for itself would be told, the rest wait.
        clients = []
        guard await eventually({ (try? answers(folder.socket)) == true }) else { exit(3) }
      }
      server.stop()
      exit(0)
      func answers(_ path: String) throws -> Bool {
        let client = try LineClient(path)
        try client.send(Self.press)
        return client.line(within: .seconds(1))?.contains("started") == true
      }
    }
  }

  @Test("B-41 a client over the cap is told so and the others are served on; a place that gets free is given again")
  func clientCap() async throws {
    try await withServer(limits: ServerLimits(clientCount: 2)) { rig in
      let first = try rig.client()
      var second: LineClient? = try rig.client()
      let third = try rig.client()
      #expect(third.line()?.contains(#""reason":"tooManyClients""#) == true)
      #expect(third.isClosed())
      try first.send(Self.press)
      #expect(first.line()?.contains("started") == true)
      try second?.send(Self.press)
      #expect(second?.line()?.contains("started") == true)
      second = nil
      #expect(await eventually { rig.handler.gone.count == 1 })
      #expect(try answers(rig.folder.socket))
    }
  }

  @Test("B-41 clients leave descriptors to the rest of the daemon")
  func clientCount() {
    #expect(ServerLimits.clientCount(descriptors: 1024) == 960)
    #expect(ServerLimits.clientCount(descriptors: 4096) == 4032)
    #expect(ServerLimits.clientCount(descriptors: 32) == 8)
    #expect(ServerLimits.clientCount(descriptors: 1) == 1)
  }

  @Test("B-28 B-42 an idle server is not woken, not even with watchers, half-closed clients and one that does not read")
  func idle() async throws {
    await #expect(processExitsWith: .success) {
      let folder = SocketFolder()
      let server = try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
      var clients: [LineClient] = []
      for number in 0..<20 {
        let client = try LineClient(folder.socket)
        try client.send(#"{"id":"1","cmd":"watch","levels":true}"#)
        if number % 2 == 0 { client.endSending() }
        guard client.line() != nil, client.line() != nil else { exit(1) }
        clients.append(client)
      }
      server.broadcast(.level(LevelEvent(level: 0.1)))
      for client in clients { guard client.line() != nil else { exit(2) } }
      func wakeUps() throws -> Int {
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
          let status = try String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)
          guard status.hasPrefix("Name:\tblurt-control\n") else { continue }
          for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
            return Int(line.drop { !$0.isNumber }) ?? -1
          }
        }
        return -1
      }
      // An answer to a question asked last shows that all the rest was seen.
      let last = try LineClient(folder.socket)
      try last.send(Self.press)
      guard last.line() != nil else { exit(3) }
      var before = -1
      // It has come to rest once two looks some time apart agree.
      while try wakeUps() != before {
        before = try wakeUps()
        try await Task.sleep(for: .milliseconds(100))
      }
      try await Task.sleep(for: .milliseconds(500))
      guard before > 0, try wakeUps() == before else { exit(4) }
      server.stop()
      exit(0)
    }
  }
}
