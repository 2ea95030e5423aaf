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

  /// An owner with a lease whose child keeps the socket open, in processes of their own. It prints the child's number.
  private static let owner = """
    import socket, subprocess, sys, time
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(sys.argv[2].encode() + b"\\n")
    s.recv(4096)
    keeper = subprocess.Popen(["/bin/sleep", "60"], stdin=s, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(keeper.pid, flush=True)
    time.sleep(60)
    """

  @Test("S-110 S-132 S-133 B-48 an owner that is killed while its child holds the socket loses its lease, at once")
  func killed() async throws {
    try await withServer { rig in
      let owner = Process()
      owner.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      owner.arguments = ["-c", Self.owner, rig.folder.socket, Self.press(1)]
      // A rig that is preloaded into the tests is not for their children.
      owner.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
      let output = Pipe()
      owner.standardOutput = output
      owner.standardError = FileHandle.nullDevice
      try owner.run()
      let reader = output.fileHandleForReading
      let line = try await Blocking.run(name: "owner") { String(decoding: reader.availableData, as: UTF8.self) }
      let keeper = try #require(pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)))
      defer { kill(keeper, SIGKILL) }
      kill(owner.processIdentifier, SIGKILL)
      #expect(await eventually(within: SessionContract.deadOwnerRelease) { rig.handler.leaseEnds.count == 1 })
      #expect(rig.handler.gone.isEmpty)
      kill(keeper, SIGKILL)
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
