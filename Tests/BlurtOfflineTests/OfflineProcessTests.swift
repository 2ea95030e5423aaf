import BlurtEngine
import BlurtOffline
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("OfflineProcess", .timeLimit(.minutes(1)))
struct OfflineProcessTests {
  @Test("a crash costs one restart and the same file is tried once more")
  func crashOnce() async throws {
    let engine = try FakeEngine(request: #"[ "$count" = 1 ] && kill -9 $$; reply speech "second try""#)
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(try await transcriber.transcribeFile("/a.raw").text == "second try")
    #expect(engine.lines(of: "starts").count == 2)
    let requests = engine.lines(of: "requests")
    #expect(requests.count == 2)
    #expect(requests.allSatisfy { $0.contains(#""path":"/a.raw""#) })
    #expect(Set(requests).count == 2, "the second try has an id of its own")
    await transcriber.stop()
  }

  @Test("a second crash on the same file is reported, and the next file gets a new process")
  func crashTwice() async throws {
    let engine = try FakeEngine(request: #"case $line in *poison*) exit 3;; esac; reply speech "fine""#)
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(await fault { try await transcriber.transcribeFile("/poison.raw") } == .crashed)
    #expect(engine.lines(of: "starts").count == 2)
    #expect(try await transcriber.transcribeFile("/a.raw").text == "fine")
    #expect(engine.lines(of: "starts").count == 3)
    await transcriber.stop()
  }

  @Test("an engine that cannot load says why, without a second try")
  func loadFailure() async throws {
    let engine = try FakeEngine(
      beforeReady: #"echo '{"failed":{"code":2,"message":"The library is broken."}}'; exit 1"#)
    let transcriber = engine.transcriber(clock: TestClock())
    let error = await #expect(throws: UnderlyingError.self) { try await transcriber.transcribeFile("/a.raw") }
    #expect(error == OfflineFault.libraryUnusable.error(""))
    #expect(error?.message == "The library is broken.")
    #expect(engine.lines(of: "starts").count == 1)
    await transcriber.stop()
  }

  @Test("a process that dies while it loads is started once more")
  func crashWhileLoading() async throws {
    let engine = try FakeEngine(beforeReady: #"[ "$count" = 1 ] && kill -9 $$"#)
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(try await transcriber.transcribeFile("/a.raw").text == "heard")
    #expect(engine.lines(of: "starts").count == 2)
    await transcriber.stop()
  }

  @Test("B-132 a process that hangs is killed at a limit that grows with the recording, and reported")
  func hang() async throws {
    let engine = try FakeEngine(
      request: #"case $line in *hang*) touch hangs; wait_for never;; esac; reply speech "fine""#)
    try engine.write(String(repeating: "x", count: 320_000), to: "hang.raw")
    let clock = TestClock()
    let transcriber = engine.transcriber(clock: clock)
    // So that the process is known to be loaded.
    #expect(try await transcriber.transcribeFile("/a.raw").text == "fine")
    let hanging = Task { await fault { try await transcriber.transcribeFile(engine.path("hang.raw")) } }
    try await eventually("the process hangs") { engine.exists("hangs") }
    let processID = try #require(await transcriber.processID)
    await clock.waitForSleeper(until: .seconds(25))
    clock.advance(by: .seconds(24))
    #expect(await transcriber.processID == processID)
    clock.advance(by: .seconds(1))
    #expect(await hanging.value == .timedOut)
    try await eventually("the process is gone") { kill(processID, 0) == -1 }
    #expect(try await transcriber.transcribeFile("/b.raw").text == "fine")
    await transcriber.stop()
  }

  @Test("a line of garbage is skipped and the answer after it counts")
  func garbage() async throws {
    let engine = try FakeEngine(request: #"echo "not json"; echo; echo '{"id":"x"}'; reply speech "right""#)
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(try await transcriber.transcribeFile("/a.raw").text == "right")
    await transcriber.stop()
  }

  @Test("an answer with another recording's id is skipped")
  func staleAnswer() async throws {
    let engine = try FakeEngine(request: #"right=$id; id=0; reply speech "stale"; id=$right; reply speech "right""#)
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(try await transcriber.transcribeFile("/a.raw").text == "right")
    #expect(try await transcriber.transcribeFile("/b.raw").text == "right")
    await transcriber.stop()
  }

  @Test("a line without an end does not grow for ever: it counts as a crash")
  func endlessLine() async throws {
    let engine = try FakeEngine(request: "while :; do printf '%01024d' 0; done")
    let transcriber = engine.transcriber(clock: TestClock())
    #expect(await fault { try await transcriber.transcribeFile("/a.raw") } == .crashed)
    await transcriber.stop()
  }

  @Test("T-77 a cancel returns at once; the late answer is not taken for the next recording's")
  func lateAnswer() async throws {
    let engine = try FakeEngine(
      request: #"""
        case $line in
          *first*) touch received; wait_for go; reply speech "first";;
          *) reply speech "second";;
        esac
        """#)
    let clock = TestClock()
    let transcriber = engine.transcriber(clock: clock)
    let first = Task { try await transcriber.transcribeFile("/first.raw") }
    try await eventually("the first request arrived") { engine.exists("received") }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { try await transcriber.transcribeFile("/second.raw") }
    try engine.write("", to: "go")
    #expect(try await second.value.text == "second")
    #expect(engine.lines(of: "starts").count == 1, "the process was left to finish")
    await transcriber.stop()
  }

  @Test("a cancelled recording keeps the process for two seconds at most, then the next gets a new one")
  func cancelBound() async throws {
    let engine = try FakeEngine(
      request: #"case $line in *first*) touch received; wait_for never;; esac; reply speech "fine""#)
    let clock = TestClock()
    let transcriber = engine.transcriber(clock: clock)
    #expect(try await transcriber.transcribeFile("/warm.raw").text == "fine")
    let first = Task { try await transcriber.transcribeFile("/first.raw") }
    try await eventually("the first request arrived") { engine.exists("received") }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { try await transcriber.transcribeFile("/second.raw") }
    await clock.waitForSleeper(until: .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await second.value.text == "fine")
    #expect(engine.lines(of: "starts").count == 2)
    await transcriber.stop()
  }

  @Test("the process gets three variables and three pipes, and nothing else of the daemon's")
  func cleanEnvironment() async throws {
    let engine = try FakeEngine(
      beforeReady:
        "/usr/bin/env | cut -d= -f1 > variables; ls -l /proc/$$/fd > descriptors")
    // A socket that somebody forgot to mark close-on-exec.
    var sockets: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    defer { for socket in sockets { close(socket) } }
    let transcriber = engine.transcriber(clock: TestClock())
    _ = try await transcriber.transcribeFile("/a.raw")
    // The shell itself adds PWD and the like.
    let variables = Set(engine.lines(of: "variables")).subtracting(["PWD", "OLDPWD", "SHLVL", "_"])
    #expect(variables == ["BLURT_OFFLINE_DIR", "LANG", "PATH"])
    let descriptors = engine.text(of: "descriptors")
    #expect(!descriptors.contains("socket:"))
    #expect(descriptors.split(separator: "\n").count { $0.contains("pipe:") } == 3)
    await transcriber.stop()
  }

  @Test("an idle process is stopped after the minutes of the setting, and the next use starts it again")
  func idleStop() async throws {
    let engine = try FakeEngine()
    let clock = TestClock()
    let transcriber = engine.transcriber(idleMinutes: 10, clock: clock)
    await transcriber.warmUp()
    await clock.waitForSleeper(until: .seconds(600))
    clock.advance(by: .seconds(599))
    _ = try await transcriber.transcribeFile("/a.raw")
    #expect(engine.lines(of: "starts").count == 1)
    let processID = try #require(await transcriber.processID)
    // The time counts from the last use.
    await clock.waitForSleeper(until: .seconds(599 + 600))
    #expect(clock.sleeperCount == 1, "one sleeping task while idle")
    clock.advance(by: .seconds(600))
    try await eventually("the process is gone") { kill(processID, 0) == -1 }
    #expect(await transcriber.processID == nil)
    #expect(try await transcriber.transcribeFile("/b.raw").text == "heard")
    #expect(engine.lines(of: "starts").count == 2)
    await transcriber.stop()
  }

  @Test("the idle time does not run during a dictation")
  func noIdleDuringDictation() async throws {
    let engine = try FakeEngine()
    let clock = TestClock()
    let transcriber = engine.transcriber(idleMinutes: 1, clock: clock)
    await transcriber.warmUp()
    await clock.waitForSleepers(1)
    let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let task = Task { try await transcriber.transcribe(AudioFeed(frames: frames), sampleRate: 16_000, context: nil) }
    try await eventually("the idle sleeper is gone") { clock.sleeperCount == 0 }
    // A change of settings in the middle.
    await transcriber.warmUp()
    for _ in 0..<100 { await Task.yield() }
    #expect(clock.sleeperCount == 0)
    clock.advance(by: .seconds(3_600))
    continuation.yield([UInt8](repeating: 7, count: 6_400))
    continuation.finish()
    #expect(try await task.value.text == "heard")
    #expect(engine.lines(of: "starts").count == 1)
    await transcriber.stop()
  }

  @Test("zero minutes keep the process", arguments: [0, -1, Double.nan, .infinity])
  func keep(minutes: Double) async throws {
    let engine = try FakeEngine()
    let clock = TestClock()
    let transcriber = engine.transcriber(idleMinutes: minutes, clock: clock)
    _ = try await transcriber.transcribeFile("/a.raw")
    #expect(await transcriber.processID != nil)
    #expect(clock.sleeperCount == 0)
    await transcriber.stop()
  }

  @Test("stop ends the process and what waits for it")
  func stop() async throws {
    let engine = try FakeEngine(request: "touch received; wait_for never")
    let transcriber = engine.transcriber(clock: TestClock())
    let task = Task { try await transcriber.transcribeFile("/a.raw") }
    try await eventually("the request arrived") { engine.exists("received") }
    let processID = try #require(await transcriber.processID)
    await transcriber.stop()
    #expect(kill(processID, 0) == -1)
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("an owner that goes without a stop takes the process with it")
  func dropped() async throws {
    let engine = try FakeEngine()
    func use() async throws -> Int32 {
      let transcriber = engine.transcriber(idleMinutes: 10, clock: TestClock())
      _ = try await transcriber.transcribeFile("/a.raw")
      return try #require(await transcriber.processID)
    }
    let processID = try await use()
    try await eventually("the process is gone") { kill(processID, 0) == -1 }
  }

  @Test("the process starts while the user still speaks")
  func startsEarly() async throws {
    let engine = try FakeEngine()
    let transcriber = engine.transcriber(clock: TestClock())
    let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let task = Task { try await transcriber.transcribe(AudioFeed(frames: frames), sampleRate: 16_000, context: nil) }
    try await eventually("it has started") { engine.exists("starts") }
    continuation.finish()
    await #expect(throws: ClipBelowFloor()) { try await task.value }
    await transcriber.stop()
  }

  @Test("recordings are given to the process one after the other")
  func oneAtATime() async throws {
    let engine = try FakeEngine(
      request: #"case $line in *first*) touch received; wait_for go;; esac; reply speech "$id""#)
    let transcriber = engine.transcriber(clock: TestClock())
    let first = Task { try await transcriber.transcribeFile("/first.raw") }
    try await eventually("the first request arrived") { engine.exists("received") }
    let second = Task { try await transcriber.transcribeFile("/second.raw") }
    #expect(engine.lines(of: "requests").count == 1)
    try engine.write("", to: "go")
    let texts = try await [first.value.text, second.value.text]
    #expect(Set(texts).count == 2)
    #expect(engine.lines(of: "requests").count == 2)
    await transcriber.stop()
  }
}
