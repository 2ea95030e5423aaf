import BlurtContract
import BlurtTestSupport
import Testing

@testable import BlurtIPC

@Suite(.timeLimit(.minutes(1))) struct HeartbeatTests {
  @Test("S-108 the heartbeat comes every 5 s while it is needed, first after one interval, and never otherwise")
  func pace() {
    var heartbeat = Heartbeat(interval: SessionContract.readinessHeartbeat)
    #expect(heartbeat.isDue(at: .seconds(1), isNeeded: false) == false)
    #expect(heartbeat.next == nil)
    #expect(heartbeat.isDue(at: .seconds(2), isNeeded: true) == false)
    #expect(heartbeat.next == .seconds(7))
    #expect(heartbeat.isDue(at: .seconds(6), isNeeded: true) == false)
    #expect(heartbeat.isDue(at: .seconds(7), isNeeded: true) == true)
    #expect(heartbeat.next == .seconds(12))
    #expect(heartbeat.isDue(at: .seconds(7), isNeeded: true) == false)
    // After a sleep there is one, not one for each that was missed.
    #expect(heartbeat.isDue(at: .seconds(100), isNeeded: true) == true)
    #expect(heartbeat.next == .seconds(105))
    #expect(heartbeat.isDue(at: .seconds(200), isNeeded: false) == false)
    #expect(heartbeat.next == nil)
    #expect(heartbeat.isDue(at: .seconds(200), isNeeded: true) == false)
    #expect(heartbeat.next == .seconds(205))
  }

  @Test("S-108 the server's heart beats while a client is connected, and without one while a dictation is live")
  func server() async throws {
    let beats = Box(0)
    let folder = SocketFolder()
    let server = try ControlServer(
      socket: .path(folder.socket), handler: StubControlHandler(), limits: ServerLimits(heartbeat: .milliseconds(2)),
      heartbeat: { beats.update { $0 += 1 } })
    defer { server.stop() }
    #expect(beats.value == 0)
    do {
      let client = try LineClient(folder.socket)
      #expect(await eventually { beats.value >= 3 })
      _ = consume client
    }
    server.broadcast(.phase(PhaseEvent(phase: .recording, dictation: 1)))
    let before = beats.value
    #expect(await eventually { beats.value >= before + 3 })
  }
}
