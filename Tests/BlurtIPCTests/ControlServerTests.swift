import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ControlServerTests {
  private static let press = #"{"id":"1","cmd":"press"}"#
  private static let started = #"{"ack":{"dictation":1,"id":"1","result":"started"}}"#

  // MARK: Commands and answers

  @Test("S-123 S-147 S-148 each command gets exactly one answer with its id, in order, also when pipelined")
  func pipelined() async throws {
    try await withServer { rig in
      let client = try rig.client()
      let count = 500
      let lines = (0..<count).map { #"{"id":"n\#($0)","cmd":"\#($0 % 2 == 0 ? "press" : "release")"}"# }
      try client.send(lines.joined(separator: "\n"))
      for number in 0..<count {
        let expected =
          number % 2 == 0
          ? #""dictation":1,"id":"n\#(number)","result":"started""# : #""id":"n\#(number)","result":"done""#
        #expect(client.line() == #"{"ack":{\#(expected)}}"#)
      }
      #expect(rig.handler.commands.map(\.id) == (0..<count).map { "n\($0)" })
      #expect(client.line(within: .milliseconds(20)) == nil)
    }
  }

  @Test("S-146 a request may come in pieces of any size")
  func halfLines() async throws {
    try await withServer { rig in
      let client = try rig.client()
      for byte in Array(Self.press.utf8) { try client.send(bytes: [byte]) }
      #expect(rig.handler.commands.isEmpty)
      try client.send(bytes: [10])
      #expect(client.line() == Self.started)
    }
  }

  @Test("S-146 half a line at the end of a connection is not acted on")
  func unfinishedLine() async throws {
    try await withServer { rig in
      let client = try rig.client()
      try client.send(bytes: Array(Self.press.utf8))
      client.endSending()
      #expect(client.isClosed())
      #expect(rig.handler.commands.isEmpty)
    }
  }

  @Test("S-123 of several replies to one command the first counts, from whatever thread")
  func replyTwice() async throws {
    let handler = StubControlHandler { command, reply in
      reply(command.ack(.busy))
      reply(command.ack(.started))
      Thread.detachNewThread { reply(command.ack(.done)) }
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(Self.press)
      #expect(client.line() == #"{"ack":{"id":"1","result":"busy"}}"#)
      #expect(client.line(within: .milliseconds(50)) == nil)
    }
  }

  @Test("S-109 S-123 an answer is on its way before the handler goes on with what the command entails")
  func answersAtOnce() async throws {
    let isRead = DispatchSemaphore(value: 0)
    let handler = StubControlHandler { command, reply in
      reply(command.ack(.started))
      // Would wait here for its limit, and the answer with it.
      _ = isRead.wait(timeout: .now() + 20)
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(Self.press)
      #expect(client.line() == #"{"ack":{"id":"1","result":"started"}}"#)
      isRead.signal()
    }
  }

  @Test("S-123 S-146 what was asked before a bad line is still answered; then the server hangs up")
  func answersBeforeHangingUp() async throws {
    let gate = DispatchSemaphore(value: 0)
    let handler = StubControlHandler { command, reply in
      Thread.detachNewThread {
        gate.wait()
        reply(command.ack(.done))
      }
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(#"{"id":"1","cmd":"last"}"# + "\nnope")
      #expect(client.line()?.contains("invalidLine") == true)
      // Nothing more is read.
      try client.send(#"{"id":"2","cmd":"last"}"#)
      gate.signal()
      #expect(client.line() == #"{"ack":{"id":"1","result":"done"}}"#)
      #expect(client.isClosed())
      #expect(handler.commands.map(\.id) == ["1"])
    }
  }

  @Test("S-123 B-38 an answer waits behind what its client has not taken yet, and a client that has gone is dropped")
  func answersInOrder() async throws {
    let text = String(repeating: "x", count: 100_000)
    let handler = StubControlHandler { command, reply in reply(command.ack(.done, text: text)) }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      let count = 12
      for number in 0..<count { try client.send(#"{"id":"\#(number)","cmd":"last"}"#) }
      for number in 0..<count {
        #expect(client.line()?.hasPrefix(#"{"ack":{"id":"\#(number)","result":"done""#) == true)
      }
      do {
        let gone = try rig.client()
        for number in 0..<count { try gone.send(#"{"id":"\#(number)","cmd":"last"}"#) }
      }
      #expect(await eventually { rig.handler.gone.count == 1 })
      try client.send(#"{"id":"last","cmd":"last"}"#)
      #expect(client.line()?.hasPrefix(#"{"ack":{"id":"last""#) == true)
    }
  }

  @Test("S-123 an answer carries the id of its command, whatever the handler wrote")
  func forcedID() async throws {
    let handler = StubControlHandler { _, reply in reply(CommandAck(id: "wrong", result: .done)) }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(#"{"id":"right","cmd":"status"}"#)
      #expect(client.line() == #"{"ack":{"id":"right","result":"done"}}"#)
    }
  }

  @Test("S-123 an answer may come late and from another thread; others overtake it")
  func lateReply() async throws {
    let held = Mutex<(ClientCommand, StubControlHandler.Reply)?>(nil)
    let handler = StubControlHandler { command, reply in
      if command.id == "slow" {
        held.withLock { $0 = (command, reply) }
      } else {
        reply(command.ack(.done))
      }
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(#"{"id":"slow","cmd":"last"}"#)
      try client.send(#"{"id":"quick","cmd":"status"}"#)
      #expect(client.line() == #"{"ack":{"id":"quick","result":"done"}}"#)
      let (command, reply) = try #require(held.withLock { $0 })
      Thread.detachNewThread { reply(command.ack(.done, text: "é")) }
      #expect(client.line() == #"{"ack":{"id":"slow","result":"done","text":"é"}}"#)
    }
  }

  @Test("S-127 a repeated id gets the first answer again and has no second effect")
  func repeatedID() async throws {
    let count = Mutex<UInt64>(0)
    let handler = StubControlHandler { command, reply in
      reply(
        command.ack(
          .started,
          dictation: count.withLock {
            $0 += 1
            return $0
          }))
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      for _ in 0..<3 {
        try client.send(Self.press)
        #expect(client.line() == Self.started)
      }
      #expect(rig.handler.commands.count == 1)
      // Another connection has ids of its own.
      let other = try rig.client()
      try other.send(Self.press)
      #expect(other.line() == #"{"ack":{"dictation":2,"id":"1","result":"started"}}"#)
      // A malformed one is remembered too.
      for _ in 0..<2 {
        try client.send(#"{"id":"2","cmd":"dance"}"#)
        #expect(client.line()?.contains(#""reason":"unknownCommand""#) == true)
      }
    }
  }

  @Test("S-127 a repeat of a command that has no answer yet is answered by that one answer")
  func repeatedWhilePending() async throws {
    let held = Mutex<(ClientCommand, StubControlHandler.Reply)?>(nil)
    let handler = StubControlHandler { command, reply in held.withLock { $0 = (command, reply) } }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(Self.press)
      try client.send(Self.press)
      try client.send(#"{"id":"w","cmd":"watch"}"#)
      #expect(client.line() == #"{"ack":{"id":"w","result":"done"}}"#)
      #expect(client.line() == #"{"event":"phase","phase":"idle"}"#)
      let (command, reply) = try #require(held.withLock { $0 })
      reply(command.ack(.started))
      #expect(client.line() == #"{"ack":{"id":"1","result":"started"}}"#)
      #expect(client.line(within: .milliseconds(50)) == nil)
      #expect(rig.handler.commands.count == 1)
    }
  }

  @Test("S-126 a press or toggle read after its deadline is refused and has no effect; a late release has")
  func expired() async throws {
    try await withServer { rig in
      let client = try rig.client()
      let past = Int(MonotonicClock.sinceBoot() / .milliseconds(1)) - 1
      for (id, verb) in [("1", "press"), ("2", "toggle")] {
        try client.send(#"{"id":"\#(id)","cmd":"\#(verb)","deadlineMs":\#(past)}"#)
        let line = client.line() ?? ""
        #expect(line.contains(#""id":"\#(id)""#) && line.contains(#""reason":"expired","result":"notListening""#))
      }
      #expect(rig.handler.commands.isEmpty)
      try client.send(#"{"id":"3","cmd":"release","deadlineMs":\#(past)}"#)
      #expect(client.line() == #"{"ack":{"id":"3","result":"done"}}"#)
      try client.send(#"{"id":"4","cmd":"press","deadlineMs":\#(past + 60_000)}"#)
      #expect(client.line() == #"{"ack":{"dictation":1,"id":"4","result":"started"}}"#)
    }
  }

  @Test("S-126 a press whose client has hung up before it was read is not acted on; its release is")
  func pressOfTheDeparted() async throws {
    let isHeld = Mutex(true)
    let handler = StubControlHandler { command, reply in
      // Holds the server's thread, as a stopped daemon would be held.
      while command.id == "hold" && isHeld.withLock({ $0 }) { usleep(1000) }
      reply(command.ack(.done))
    }
    try await withServer(handler: handler) { rig in
      let holder = try rig.client()
      try holder.send(#"{"id":"hold","cmd":"status"}"#)
      #expect(await eventually { handler.commands.count == 1 })
      do {
        let departed = try rig.client()
        try departed.send(Self.press)
        try departed.send(#"{"id":"2","cmd":"toggle"}"#)
        try departed.send(#"{"id":"3","cmd":"release"}"#)
      }
      isHeld.withLock { $0 = false }
      #expect(await eventually { handler.gone.count == 1 })
      #expect(handler.commands.map(\.id) == ["hold", "3"])
    }
  }

  @Test("S-123 a client with too many unanswered commands gets a refusal, not silence")
  func tooManyCommands() async throws {
    try await withServer(handler: StubControlHandler { _, _ in }) { rig in
      let client = try rig.client()
      for number in 0...SessionContract.outstandingCommandCount {
        try client.send(#"{"id":"\#(number)","cmd":"last"}"#)
      }
      let line = client.line() ?? ""
      #expect(line.contains(#""id":"64""#) && line.contains(#""reason":"tooManyCommands","result":"failed""#))
      #expect(rig.handler.commands.count == SessionContract.outstandingCommandCount)
    }
  }

  // MARK: Bad input

  @Test("S-146 a line of 64 KiB is read; one byte more gets one error object and the connection closes")
  func oversized() async throws {
    try await withServer { rig in
      let client = try rig.client()
      let start = #"{"id":"1","cmd":"press","client":""#
      let filler = String(repeating: "x", count: SessionContract.longestRequestLine - start.utf8.count - 2)
      try client.send(start + filler + "\"}")
      #expect(client.line() == Self.started)
      // It is refused before its newline has come, and what follows is not acted on.
      try client.send(bytes: Array((start + filler + "xxx").utf8))
      #expect(client.line()?.contains(#""reason":"lineTooLong""#) == true)
      #expect(client.isClosed())
      #expect(rig.handler.commands.count == 1)
    }
  }

  private static func line(_ text: String) -> [UInt8] { Array(text.utf8) + [10] }

  /// Lines that are no request, each by its own fault.
  static let badLines: [[UInt8]] = [
    line("garbage"), line("[]"), line(""), line(#"{"cmd":"press"}"#), line(#"{"id":"1","cmd":"press",}"#),
    line(#"{"id":"1","id":"1","cmd":"press"}"#), line("\u{feff}" + press), utf16, badUTF8, [0, 0, 0, 10],
    line(String(repeating: "[", count: 60_000)), line("GET / HTTP/1.1\r"),
  ]
  private static let utf16: [UInt8] = press.utf16.flatMap { [UInt8($0), 0] } + [10, 0]
  private static let badUTF8: [UInt8] = Array(#"{"id":""#.utf8) + [0xC3, 0x28] + line(#"","cmd":"press"}"#)

  @Test(
    "S-146 garbage gets one error object, the connection closes, and other clients notice nothing",
    arguments: ControlServerTests.badLines)
  func garbage(_ bytes: [UInt8]) async throws {
    try await withServer { rig in
      let other = try rig.client()
      let client = try rig.client()
      try client.send(bytes: bytes + Array("\(Self.press)\n".utf8))
      #expect(client.line()?.contains(#"{"error":{"message":"#) == true)
      #expect(client.isClosed())
      #expect(rig.handler.commands.isEmpty)
      try other.send(Self.press)
      #expect(other.line() == Self.started)
    }
  }

  @Test("S-146 random bytes never stop the server")
  func randomBytes() async throws {
    try await withServer { rig in
      var random = SystemRandomNumberGenerator()
      for _ in 0..<200 {
        let client = try rig.client()
        let count = Int.random(in: 1...300, using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        try client.send(bytes: bytes)
      }
      let client = try rig.client()
      try client.send(Self.press)
      #expect(client.line() == Self.started)
    }
  }

  @Test("S-146 B-38 silent clients, half lines and a byte at a time delay nobody: every answer and every phase comes")
  func hostileCrowd() async throws {
    try await withServer { rig in
      let watcher = try rig.client()
      try watcher.send(#"{"id":"w","cmd":"watch"}"#)
      #expect(watcher.line() == #"{"ack":{"id":"w","result":"done"}}"#)
      #expect(watcher.line() == #"{"event":"phase","phase":"idle"}"#)
      let silent = try (0..<100).map { _ in try rig.client() }
      let halves = try (0..<100).map { number in
        let client = try rig.client()
        try client.send(bytes: Array(Self.press.utf8.prefix(1 + number % Self.press.utf8.count)))
        return client
      }
      let slow = try rig.client()
      let live = try rig.client()
      for (number, byte) in (Array(Self.press.utf8) + [10]).enumerated() {
        try slow.send(bytes: [byte])
        try live.send(#"{"id":"\#(number)","cmd":"release"}"#)
        #expect(live.line() == #"{"ack":{"id":"\#(number)","result":"done"}}"#)
        rig.phase(.recording, UInt64(number))
        // A half line whose client goes away.
        do {
          let departing = try rig.client()
          try departing.send(bytes: Array(#"{"id":"x","cmd":"toggle""#.utf8))
        }
      }
      #expect(slow.line() == Self.started)
      for number in 0...Self.press.utf8.count {
        #expect(watcher.line() == #"{"dictation":\#(number),"event":"phase","phase":"recording"}"#)
      }
      #expect(rig.handler.commands.count { $0.action == .toggle } == 0)
      // They are still served themselves.
      for client in [silent[0], silent[99]] {
        try client.send(Self.press)
        #expect(client.line() == Self.started)
      }
      try halves[0].send(bytes: Array(Self.press.utf8.dropFirst()) + [10])
      #expect(halves[0].line() == Self.started)
    }
  }

  // MARK: Who is served

  @Test("S-133 the handler learns the peer's process and user from the kernel")
  func identity() async throws {
    try await withServer { rig in
      let first = try rig.client()
      let second = try rig.client()
      for client in [first, second] {
        try client.send(Self.press)
        #expect(client.line() == Self.started)
      }
      let clients = rig.handler.clients
      #expect(clients.map(\.processID) == [getpid(), getpid()])
      #expect(clients.map(\.userID) == [geteuid(), geteuid()])
      #expect(Set(clients.map(\.connection)).count == 2)
    }
  }

  @Test("S-133 a client of another user is not served")
  func otherUser() async throws {
    let folder = SocketFolder()
    let handler = StubControlHandler()
    let server = try ControlServer(socket: .path(folder.socket), handler: handler, userID: geteuid() + 1)
    defer { server.stop() }
    let client = try LineClient(folder.socket)
    _ = try client.send(bytes: Array("\(Self.press)\n".utf8))
    #expect(client.isClosed())
    #expect(handler.commands.isEmpty)
  }

  @Test(
    "S-133 a process that has become another user is refused although the file lets it connect",
    .enabled(if: geteuid() == 0, "only root can start a process as another user"))
  func otherUserForReal() async throws {
    try await withServer { rig in
      #expect(chmod(rig.folder.path, 0o755) == 0)
      #expect(chmod(rig.folder.socket, 0o666) == 0)
      let script = """
        import os, socket, sys
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        try:
          s.sendall(b'{"id":"1","cmd":"press"}\\n'); data = s.recv(100)
        except OSError: data = b''
        sys.exit(0 if data == b'' else 1)
        """
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = ["-c", script, rig.folder.socket]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(rig.handler.commands.isEmpty)
    }
  }

  @Test("S-146 S-133 the socket is for its user alone, whatever the umask")
  func mode() async throws {
    try await withServer { rig in
      var status = stat()
      #expect(lstat(rig.folder.socket, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600)
      #expect(lstat(rig.folder.file("blurtd.lock"), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test("S-133 the end of a connection is told once, after the last command of that client")
  func clientGone() async throws {
    try await withServer { rig in
      do {
        let client = try rig.client()
        try client.send(Self.press)
        #expect(client.line() == Self.started)
        #expect(rig.handler.gone.isEmpty)
      }
      #expect(await eventually { rig.handler.gone.count == 1 })
      #expect(rig.handler.gone == rig.handler.clients)
    }
  }

  @Test("S-123 a client that has closed its sending side still gets what it asked for, then the end")
  func halfClosed() async throws {
    let held = Mutex<(ClientCommand, StubControlHandler.Reply)?>(nil)
    let handler = StubControlHandler { command, reply in held.withLock { $0 = (command, reply) } }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(Self.press)
      client.endSending()
      #expect(await eventually { handler.gone.count == 1 })
      let (command, reply) = try #require(held.withLock { $0 })
      #expect(handler.closed.isEmpty)
      reply(command.ack(.started, dictation: 1))
      #expect(client.line() == Self.started)
      #expect(client.isClosed())
      #expect(handler.gone.count == 1)
      #expect(await eventually { handler.closed == handler.clients })
    }
  }

  @Test("B-38 a handler that owes an answer learns when nobody can read it any more, once")
  func connectionClosed() async throws {
    let handler = StubControlHandler { _, _ in }
    try await withServer(handler: handler) { rig in
      do {
        let client = try rig.client()
        try client.send(Self.press)
        #expect(await eventually { handler.commands.count == 1 })
      }
      #expect(await eventually { handler.closed == handler.clients })
      // A client that asked for nothing is nobody's business.
      do { _ = try rig.client() }
      let other = try rig.client()
      try other.send(Self.press)
      #expect(await eventually { handler.commands.count == 2 })
      #expect(handler.closed.count == 1)
    }
  }

  // MARK: Stopping

  @Test("S-123 a server that stops answers what is open, hangs up, and takes its socket file with it")
  func stopping() async throws {
    let rig = try ServerRig(handler: StubControlHandler { _, _ in })
    let client = try rig.client()
    try client.send(Self.press)
    #expect(await eventually { rig.handler.commands.count == 1 })
    rig.server.stop()
    #expect(client.line()?.contains(#""reason":"stopping","result":"failed""#) == true)
    #expect(client.isClosed())
    #expect(access(rig.folder.socket, F_OK) != 0)
    rig.server.stop()
    rig.phase(.connecting)
  }
}
