import BlurtContract
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtIPC

/// Owners that die, hang or keep their word, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct LeaseTests {
  private static func press(_ id: Int, leaseMs: Int? = nil) -> String {
    #"{"id":"\#(id)","cmd":"press","lease":true\#(leaseMs.map { #","leaseMs":\#($0)"# } ?? "")}"#
  }

  /// Starts a program that keeps the descriptor open as its standard input and nothing else of this process.
  private static func spawnKeeper(of descriptor: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, descriptor, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    for other in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, other) }
    let words: [String] = ["/bin/sleep", "60"]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    return posix_spawn(&id, "/bin/sleep", &actions, nil, &arguments, nil) == 0 ? id : -1
  }

  @Test("S-110 S-132 S-133 B-48 an owner that is killed while its child holds the socket loses its lease, at once")
  func killed() async throws {
    try await withServer { rig in
      let (path, note) = (rig.folder.socket, rig.folder.file("keeper"))
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, note = note as String] in
        let client = try LineClient(path)
        try client.send(Self.press(1))
        guard client.line() != nil else { return }
        let keeper = Self.spawnKeeper(of: client.descriptor)
        try "\(keeper)".write(toFile: note, atomically: true, encoding: .utf8)
        kill(getpid(), SIGKILL)
      }
      let keeper = try #require(pid_t(try String(contentsOfFile: note, encoding: .utf8)))
      #expect(keeper > 0)
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { rig.handler.leaseEnds.count == 1 })
      #expect(rig.handler.gone.isEmpty)
      if keeper > 0 { kill(keeper, SIGKILL) }
      #expect(await eventually { rig.handler.gone.count == 1 })
      #expect(rig.handler.leaseEnds.count == 1)
    }
  }

  @Test("S-132 an owner that is silent for longer than it promised loses its lease, and may press again")
  func silent() async throws {
    try await withServer { rig in
      let client = try rig.client()
      try client.send(Self.press(1, leaseMs: 500))
      #expect(client.line()?.contains("started") == true)
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { rig.handler.leaseEnds.count == 1 })
      #expect(rig.handler.gone.isEmpty)
      try client.send(Self.press(2, leaseMs: 500))
      #expect(client.line()?.contains("started") == true)
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { rig.handler.leaseEnds.count == 2 })
    }
  }

  @Test(
    "S-132 any line of the owner counts, also one that is no command; an owner without such a promise may be silent")
  func talking() async throws {
    try await withServer { rig in
      let silent = try rig.client()
      try silent.send(Self.press(1))
      #expect(silent.line()?.contains("started") == true)
      let client = try rig.client()
      try client.send(Self.press(1, leaseMs: 1_000))
      #expect(client.line()?.contains("started") == true)
      let begin = ContinuousClock.now
      var last = begin
      var longestGap = Duration.zero
      while ContinuousClock.now < begin + .milliseconds(1_300) {
        try client.send(#"{"id":"x\#(ContinuousClock.now - begin)","cmd":"dance"}"#)
        #expect(client.line()?.contains("unknownCommand") == true)
        longestGap = max(longestGap, ContinuousClock.now - last)
        last = .now
      }
      // A machine that stops this test for so long proves nothing.
      if longestGap < .milliseconds(900) { #expect(rig.handler.leaseEnds.isEmpty) }
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { rig.handler.leaseEnds.count == 1 })
      #expect(rig.handler.leaseEnds.first == rig.handler.clients.last)
    }
  }

  @Test("S-129 S-132 a dictation that has ended has no lease: the silence of its client is no news")
  func over() async throws {
    let handler = StubControlHandler { command, reply in
      reply(command.ack(.started, dictation: UInt64(command.id)))
    }
    try await withServer(handler: handler) { rig in
      let client = try rig.client()
      try client.send(Self.press(1, leaseMs: 500))
      #expect(client.line()?.contains("started") == true)
      rig.phase(.pasted, 1)
      // The lease of the next one ends after that of the first would have.
      let other = try rig.client()
      rig.phase(.recording, 2)
      try other.send(Self.press(2, leaseMs: 600))
      #expect(other.line()?.contains("started") == true)
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { !rig.handler.leaseEnds.isEmpty })
      #expect(rig.handler.leaseEnds == [rig.handler.clients[1]])
    }
  }
}
