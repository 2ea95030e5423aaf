import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct WatchTests {
  private static let phases: [DictationPhase] = [.connecting, .recording, .transcribing, .injecting, .pasted]

  private func watch(_ rig: ServerRig, _ options: String = "") throws -> LineClient {
    let client = try rig.client()
    try client.send(#"{"id":"w","cmd":"watch"\#(options)}"#)
    #expect(client.line() == #"{"ack":{"id":"w","result":"done"}}"#)
    return client
  }

  private func line(_ phase: DictationPhase, _ dictation: UInt64? = nil) -> String {
    (dictation.map { "{\"dictation\":\($0)," } ?? "{") + #""event":"phase","phase":"\#(phase.rawValue)"}"#
  }

  @Test("S-149 a watcher sees the phase of now first, then every transition in order")
  func allPhases() async throws {
    try await withServer { rig in
      let client = try watch(rig)
      #expect(client.line() == line(.idle))
      for dictation in 1...UInt64(40) { for phase in Self.phases { rig.phase(phase, dictation) } }
      for dictation in 1...UInt64(40) {
        for phase in Self.phases { #expect(client.line() == line(phase, dictation)) }
      }
    }
  }

  @Test("S-149 Y-04 watchers that start while phases change see the same suffix: nothing missed, nothing doubled")
  func sameSuffix() async throws {
    try await withServer { rig in
      let count: UInt64 = 2000
      Thread.detachNewThread { for number in 1...count { rig.phase(.recording, number) } }
      for _ in 0..<40 {
        let client = try watch(rig)
        let first = client.line() ?? ""
        var next = UInt64(first.prefix { $0 != "," }.drop { !$0.isNumber }) ?? 0
        #expect(next > 0 || first == line(.idle))
        for _ in 0..<50 where next < count {
          next += 1
          #expect(client.line() == line(.recording, next))
        }
      }
    }
  }

  @Test("S-149 levels come to those who asked, at most every 80 ms, the newest last")
  func levels() async throws {
    try await withServer { rig in
      let quiet = try watch(rig)
      let client = try watch(rig, #","levels":true"#)
      for watcher in [quiet, client] { #expect(watcher.line() == line(.idle)) }
      let start = MonotonicClock.now()
      for step in 1...100 { rig.server.broadcast(.level(LevelEvent(level: Double(step) / 100))) }
      var received: [String] = []
      while received.last != #"{"event":"level","level":1.0}"# { received.append(try #require(client.line())) }
      // The first at once, one after each 80 ms: far fewer than were sent.
      let elapsed = MonotonicClock.now() - start
      #expect(Double(received.count) <= 2 + elapsed / SessionContract.levelInterval)
      rig.phase(.pasted)
      #expect(client.line() == line(.pasted))
      #expect(quiet.line() == line(.pasted))
    }
  }

  @Test("C-32 the server knows whether any client asked for levels")
  func levelsWatched() async throws {
    try await withServer { rig in
      let quiet = try watch(rig)
      #expect(quiet.line() == line(.idle))
      #expect(!rig.server.levelsAreWatched)
      var client: LineClient? = try watch(rig, #","levels":true"#)
      #expect(client?.line() == line(.idle))
      #expect(rig.server.levelsAreWatched)
      client = nil
      #expect(await eventually { !rig.server.levelsAreWatched })
    }
  }

  @Test("S-150 a text goes only to those who asked for results; the engine to all")
  func results() async throws {
    try await withServer { rig in
      let observer = try watch(rig)
      let owner = try watch(rig, #","results":true"#)
      for watcher in [observer, owner] { #expect(watcher.line() == line(.idle)) }
      rig.server.broadcast(.delivery(DeliveryEvent(dictation: 1, engine: "offline", text: "secret words")))
      #expect(observer.line() == #"{"dictation":1,"engine":"offline","event":"delivery"}"#)
      #expect(owner.line() == #"{"dictation":1,"engine":"offline","event":"delivery","text":"secret words"}"#)
    }
  }

  @Test("S-149 a second watch on a connection changes what it gets and starts again with the phase of now")
  func watchAgain() async throws {
    try await withServer { rig in
      let client = try watch(rig)
      #expect(client.line() == line(.idle))
      try client.send(#"{"id":"2","cmd":"watch","results":true}"#)
      #expect(client.line() == #"{"ack":{"id":"2","result":"done"}}"#)
      #expect(client.line() == line(.idle))
      rig.server.broadcast(.delivery(DeliveryEvent(dictation: 1, engine: nil, text: "t")))
      #expect(client.line() == #"{"dictation":1,"event":"delivery","text":"t"}"#)
    }
  }

  @Test("B-38 S-149 a stopped reader delays nobody and is dropped; the others miss no phase")
  func stoppedReader() async throws {
    var limits = ServerLimits()
    limits.slowClientPatience = .milliseconds(300)
    try await withServer(limits: limits) { rig in
      let stopped = try watch(rig, #","levels":true"#)
      let live = try watch(rig)
      #expect(live.line() == line(.idle))
      let presser = try rig.client()
      try presser.send(#"{"id":"0","cmd":"press"}"#)
      #expect(presser.line() != nil)
      var slowest = Duration.zero
      // Far more than a socket's buffer of some 200 KiB holds.
      let filler = String(repeating: "x", count: 4000)
      for number in 1...UInt64(400) {
        rig.server.broadcast(.phase(PhaseEvent(phase: .recording, dictation: number, label: filler)))
        rig.server.broadcast(.level(LevelEvent(level: 0.5)))
        #expect(live.line()?.hasPrefix("{\"dictation\":\(number),") == true)
        let start = MonotonicClock.now()
        try presser.send(#"{"id":"\#(number)","cmd":"press"}"#)
        #expect(presser.line()?.contains("started") == true)
        slowest = max(slowest, MonotonicClock.now() - start)
      }
      // A wait for the stopped reader would show as its patience.
      #expect(slowest < .milliseconds(250))
      // It has been dropped, or will be once its patience is over; it can still read what its socket's buffer holds.
      var lines: [String] = []
      try await Task.sleep(for: .milliseconds(400))
      while let line = stopped.line() { lines.append(line) }
      #expect(lines.count > 10 && lines.count < 400)
    }
  }

  @Test("B-38 a stopped reader with too much waiting is dropped at once: memory stays bounded")
  func tooMuchWaiting() async throws {
    var limits = ServerLimits()
    limits.slowClientByteCount = 256 * 1024
    try await withServer(limits: limits) { rig in
      let stopped = try watch(rig)
      let live = try watch(rig)
      #expect(live.line() == line(.idle))
      let filler = String(repeating: "x", count: 10_000)
      for number in 1...UInt64(200) {
        rig.server.broadcast(.phase(PhaseEvent(phase: .recording, dictation: number, label: filler)))
        #expect(live.line()?.hasPrefix("{\"dictation\":\(number),") == true)
      }
      var count = 0
      while stopped.line() != nil { count += 1 }
      #expect(count < 100)
    }
  }

  @Test("S-133 S-149 what the daemon says about a reader that was dropped goes out at once, and nothing else happens")
  func toldOfTheDropped() async throws {
    var limits = ServerLimits()
    limits.slowClientByteCount = 96 * 1024
    let handler = StubControlHandler()
    try await withServer(handler: handler, limits: limits) { rig in
      handler.onGone = { _ in rig.server.broadcast(.notice(NoticeEvent(notice: "gone"))) }
      defer { handler.onGone = nil }
      let stopped = try watch(rig)
      try stopped.send(#"{"cmd":"status","id":"known"}"#)
      let live = try watch(rig)
      #expect(live.line() == line(.idle))
      let filler = String(repeating: "x", count: 40_000)
      var number: UInt64 = 0
      // One event at a time, until one of them is too much.
      while number < 100, handler.gone.isEmpty {
        number += 1
        rig.server.broadcast(.phase(PhaseEvent(phase: .recording, dictation: number, label: filler)))
        #expect(live.line()?.hasPrefix("{\"dictation\":\(number),") == true)
        _ = await eventually(within: .milliseconds(100)) { !handler.gone.isEmpty }
      }
      #expect(live.line() == #"{"event":"notice","notice":"gone"}"#)
    }
  }

  @Test("S-149 a reader that is merely slow gets every phase, and of the levels of that time only the newest")
  func slowReader() async throws {
    try await withServer { rig in
      let client = try watch(rig, #","levels":true"#)
      let filler = String(repeating: "x", count: 4000)
      for number in 1...UInt64(300) {
        rig.server.broadcast(.phase(PhaseEvent(phase: .recording, dictation: number, label: filler)))
      }
      for step in 1...4 {
        rig.server.broadcast(.level(LevelEvent(level: Double(step) / 10)))
        try await Task.sleep(for: SessionContract.levelInterval + .milliseconds(10))
      }
      #expect(client.line() == line(.idle))
      for number in 1...UInt64(300) { #expect(client.line()?.hasPrefix("{\"dictation\":\(number),") == true) }
      #expect(client.line() == #"{"event":"level","level":0.4}"#)
      rig.phase(.pasted, 300)
      #expect(client.line() == line(.pasted, 300))
    }
  }

  @Test("B-38 S-149 with hundreds of watchers each sees every phase in order while commands are answered in between")
  func manyWatchers() async throws {
    try await withServer { rig in
      let watchers = try (0..<200).map { _ in try watch(rig) }
      let presser = try rig.client()
      let count: UInt64 = 100
      for number in 1...count {
        rig.phase(.recording, number)
        try presser.send(#"{"id":"\#(number)","cmd":"press"}"#)
        #expect(presser.line()?.contains("started") == true)
      }
      for watcher in watchers {
        #expect(watcher.line() == line(.idle))
        for number in 1...count { #expect(watcher.line() == line(.recording, number)) }
      }
    }
  }

  @Test("S-149 a watcher that acts on its own connection gets its answers and every event, each in their order")
  func actingWatcher() async throws {
    try await withServer { rig in
      let others = try (0..<50).map { _ in try watch(rig) }
      let client = try watch(rig)
      #expect(client.line() == line(.idle))
      var answers: [String] = []
      var events: [String] = []
      for number in 1...UInt64(60) {
        rig.phase(.recording, number)
        try client.send(#"{"id":"\#(number)","cmd":"press"}"#)
      }
      while answers.count + events.count < 120, let line = client.line() {
        if line.hasPrefix(#"{"ack""#) { answers.append(line) } else { events.append(line) }
      }
      #expect(answers.enumerated().allSatisfy { $1.contains("\"id\":\"\($0 + 1)\"") } && answers.count == 60)
      #expect(events == (1...60).map { line(.recording, $0) })
      #expect(others.count == 50)
    }
  }

  @Test("S-149 what came before a line that cannot be answered is told before the daemon hangs up")
  func eventsBeforeHangUp() async throws {
    try await withServer { rig in
      let client = try watch(rig)
      #expect(client.line() == line(.idle))
      rig.phase(.recording, 1)
      #expect(client.line() == line(.recording, 1))
      try client.send("no JSON")
      #expect(client.line()?.contains("invalidLine") == true)
      rig.phase(.pasted, 1)
      #expect(client.line() == nil)
    }
  }
}
