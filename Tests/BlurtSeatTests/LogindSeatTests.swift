import BlurtBus
import BlurtOS
import BlurtTestSupport
import Glibc
import Testing

@testable import BlurtSeat

/// The real thread and the real libsystemd against a bus and a logind of the test's own.
@Suite(
  "LogindSeat", .serialized, .enabled(if: LogindBus.isAvailable, Comment(rawValue: LogindBus.absence)),
  .timeLimit(.minutes(1)))
struct LogindSeatTests {
  private static let user = getuid()

  private func options(_ bus: LogindBus, _ change: (inout LogindSeat.Options) -> Void = { _ in }) -> LogindSeat.Options
  {
    var options = LogindSeat.Options(userID: Self.user)
    options.address = bus.address
    options.limits.retryPauses = Array(repeating: .milliseconds(20), count: 50)
    change(&options)
    return options
  }

  private func becomes(_ seat: LogindSeat, _ standing: SeatStanding, session: String? = nil) async -> Bool {
    await eventually {
      seat.report.isKnown && seat.report.standing == standing && (session == nil || seat.report.session?.id == session)
    }
  }

  @Test("Y-131 B-29 a locked screen, another session in front and the way back are seen, each once and in order")
  func follows() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    try bus.display("3", of: Self.user)
    let seat = try LogindSeat(options(bus))
    let seen = Box<[SeatStanding]>([])
    #expect(await becomes(seat, .active, session: "3"))
    seat.onChange { seen.append(seat.report.standing) }
    try bus.session("3", ("locked", "true"))
    #expect(await becomes(seat, .locked))
    try bus.session("3", ("locked", "false"))
    #expect(await becomes(seat, .active))
    try bus.session("3", ("active", "false"), ("state", "\"online\""))
    #expect(await becomes(seat, .inBackground))
    try bus.session("3", ("active", "true"), ("state", "\"active\""))
    #expect(await becomes(seat, .active))
    #expect(seen.value.filter { $0 != .active } == [.locked, .inBackground])
    seat.stop()
  }

  @Test("Y-131 the user's main session is followed when it changes, ends and comes back")
  func followsDisplay() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    try bus.session("4", ("active", "false"), ("state", "\"online\""))
    try bus.display("3", of: Self.user)
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .active, session: "3"))
    try bus.display("4", of: Self.user)
    #expect(await becomes(seat, .inBackground, session: "4"))
    try bus.remove("4")
    try bus.display("3", of: Self.user)
    #expect(await becomes(seat, .active, session: "3"))
    // Another user logs in while nobody of ours is left.
    try bus.session("5", ("user", "4242"))
    try bus.remove("3")
    #expect(await becomes(seat, .inBackground))
    #expect(seat.report.session == nil)
    try bus.remove("5")
    #expect(await becomes(seat, .active))
    seat.stop()
  }

  @Test("B-29 a lock that is asked for counts at once, and by itself for the grace alone")
  func lockRequest() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let seat = try LogindSeat(options(bus) { $0.limits.lockGrace = .milliseconds(300) })
    #expect(await becomes(seat, .active, session: "3"))
    try bus.ask("3", toLock: true)
    #expect(await becomes(seat, .locked))
    #expect(await becomes(seat, .active))
    seat.stop()
    let patient = try LogindSeat(options(bus) { $0.limits.lockGrace = .seconds(3600) })
    #expect(await becomes(patient, .active, session: "3"))
    try bus.ask("3", toLock: true)
    #expect(await becomes(patient, .locked))
    try bus.ask("3", toLock: false)
    #expect(await becomes(patient, .active))
    patient.stop()
  }

  @Test("Y-133 B-23 sleep waits until the recording is closed, not longer; a new hold is taken after it")
  func sleep() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let finish = Box<[@Sendable () -> Void]>([])
    let standings = Box<[SeatStanding]>([])
    let reference = Box<LogindSeat?>(nil)
    let seat = try LogindSeat(options(bus) { $0.limits.sleepHold = .seconds(3600) }) { done in
      if let standing = reference.value?.report.standing { standings.append(standing) }
      finish.append(done)
    }
    reference.value = seat
    #expect(await becomes(seat, .active, session: "3"))
    #expect(try await eventually { try bus.holds() == 1 })
    try bus.sleep(true)
    #expect(await becomes(seat, .asleep))
    #expect(await eventually { finish.value.count == 1 })
    // The change was told before the work was asked for.
    #expect(standings.value == [.asleep])
    #expect(try bus.holds() == 1)
    finish.value[0]()
    #expect(try await eventually { try bus.holds() == 0 })
    try bus.sleep(false)
    #expect(await becomes(seat, .active))
    #expect(try await eventually { try bus.holds() == 1 })
    reference.value = nil
    finish.value = []
    seat.stop()
    #expect(try await eventually { try bus.holds() == 0 })
  }

  @Test("Y-133 a recording that is not closed in time does not hold sleep up for ever")
  func sleepWithoutEnd() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let seat = try LogindSeat(options(bus) { $0.limits.sleepHold = .milliseconds(50) }) { _ in }
    #expect(await becomes(seat, .active, session: "3"))
    #expect(try await eventually { try bus.holds() == 1 })
    try bus.sleep(true)
    #expect(try await eventually { try bus.holds() == 0 })
    #expect(seat.report.standing == .asleep)
    seat.stop()
  }

  @Test("B-23 a wake-up that is read together with its sleep does not undo it unseen")
  func shortSleep() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let seen = Box<[SeatStanding]>([])
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .active, session: "3"))
    seat.onChange { seen.append(seat.report.standing) }
    for _ in 0..<20 {
      try bus.sleep(true)
      try bus.sleep(false)
    }
    #expect(await eventually { seen.value.count == 40 })
    #expect(seen.value == (0..<40).map { $0.isMultiple(of: 2) ? .asleep : .active })
    seat.stop()
  }

  @Test("a machine that is on its way to sleep when the watch begins is asleep, and nothing is asked to wait")
  func startsInSleep() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    try bus.sleep(true)
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .asleep))
    #expect(try bus.holdsTaken() == 0)
    try bus.sleep(false)
    #expect(await becomes(seat, .active))
    #expect(try await eventually { try bus.holds() == 1 })
    seat.stop()
  }

  @Test("a hold on sleep that is refused is asked for again, until it is there")
  func holdIsRefused() async throws {
    let bus = try LogindBus()
    try bus.refuse(true)
    try bus.session("3")
    let seat = try LogindSeat(options(bus) { $0.limits.retryPauses = Array(repeating: .milliseconds(5), count: 2_000) })
    #expect(await becomes(seat, .active, session: "3"))
    let calls = try bus.calls()
    #expect(try await eventually { try bus.calls() > calls + 2 })
    #expect(try bus.holdsTaken() == 0)
    try bus.refuse(false)
    #expect(try await eventually { try bus.holds() == 1 })
    seat.stop()
  }

  @Test("a logind that is started anew is asked anew; its absence changes nothing")
  func logindRestarts() async throws {
    let bus = try LogindBus()
    try bus.session("3", ("locked", "true"))
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .locked))
    try bus.logind(runs: false)
    try bus.session("3", ("locked", "false"))
    #expect(seat.report.standing == .locked)
    try bus.logind(runs: true)
    #expect(await becomes(seat, .active, session: "3"))
    #expect(seat.report.problem == nil)
    #expect(try await eventually { try bus.holds() == 1 })
    seat.stop()
  }

  @Test("a logind that does not come back: after the last try the seat counts as active, and the report says why")
  func logindGone() async throws {
    let bus = try LogindBus()
    try bus.session("3", ("locked", "true"))
    let seat = try LogindSeat(options(bus) { $0.limits.retryPauses = [.milliseconds(5), .milliseconds(5)] })
    #expect(await becomes(seat, .locked))
    try bus.logind(runs: false)
    #expect(await becomes(seat, .active))
    #expect(seat.report.problem?.sentence.contains("logind does not answer") == true)
    // It is still listened for, without asking, and asleep.
    let turns = seat.turnCount
    for _ in 0..<50 { _ = try bus.calls() }
    #expect(seat.turnCount - turns < 5)
    try bus.logind(runs: true)
    #expect(await becomes(seat, .locked, session: "3"))
    #expect(seat.report.problem == nil)
    seat.stop()
  }

  @Test("a bus that is started anew is connected to again, and the state read anew; one that stays away counts as none")
  func busRestarts() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .active, session: "3"))
    try bus.bus(runs: false)
    try bus.session("3", ("locked", "true"))
    try bus.bus(runs: true)
    #expect(await becomes(seat, .locked, session: "3"))
    seat.stop()
    let hasty = try LogindSeat(options(bus) { $0.limits.retryPauses = [.milliseconds(5)] })
    #expect(await becomes(hasty, .locked))
    try bus.bus(runs: false)
    #expect(await becomes(hasty, .active))
    #expect(hasty.report.problem?.sentence.contains("system bus cannot be reached") == true)
    hasty.stop()
  }

  @Test("a logind that does not answer holds up neither the seat nor a stop")
  func mute() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    try bus.mute(true)
    let seat = try LogindSeat(
      options(bus) { options in
        options.limits.call = .milliseconds(100)
        options.limits.retryPauses = Array(repeating: .milliseconds(20), count: 500)
      })
    #expect(await becomes(seat, .active))
    #expect(seat.report.problem?.sentence.contains("logind does not answer") == true)
    try bus.mute(false)
    #expect(await becomes(seat, .active, session: "3"))
    #expect(seat.report.problem == nil)
    try bus.mute(true)
    try bus.session("3", ("locked", "true"))
    seat.stop()
  }

  @Test("Y-131 a bus without logind: active, with a reason; a logind that comes later is taken up")
  func withoutLogind() async throws {
    let bus = try LogindBus()
    try bus.session("3", ("locked", "true"))
    try bus.logind(runs: false)
    let seat = try LogindSeat(options(bus) { $0.limits.retryPauses = [] })
    #expect(await becomes(seat, .active))
    #expect(seat.report.problem?.sentence.contains("there is none on the system bus") == true)
    try bus.logind(runs: true)
    #expect(await becomes(seat, .locked, session: "3"))
    seat.stop()
  }

  @Test("idle, the seat asks nothing")
  func idle() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let seat = try LogindSeat(options(bus))
    #expect(await becomes(seat, .active, session: "3"))
    #expect(try await eventually { try bus.holds() == 1 })
    // Until the last question of its start is on record.
    var (before, alike) = (try bus.calls(), 0)
    let isSettled = try await eventually {
      let now = try bus.calls()
      alike = now == before ? alike + 1 : 0
      before = now
      return alike == 50
    }
    #expect(isSettled)
    // What makes it ask is a change; a lock request is none.
    try bus.ask("9", toLock: true)
    try bus.ask("3", toLock: true)
    #expect(await becomes(seat, .locked))
    #expect(try bus.calls() == before)
    seat.stop()
  }
}

/// What needs no bus at all.
@Suite("LogindSeat without a bus", .timeLimit(.minutes(1))) struct LogindSeatAbsenceTests {
  @Test("Y-131 no libsystemd: active, with the loader's reason, and the thread is done")
  func noLibrary() async throws {
    var options = LogindSeat.Options(userID: 1000)
    options.library = "libblurt-that-is-not-there.so.0"
    options.address = "unix:path=/nonexistent"
    let seat = try LogindSeat(options)
    #expect(await eventually { seat.report.isKnown })
    #expect(seat.report.standing == .active)
    guard case .noLibrary? = seat.report.problem else {
      Issue.record("\(seat.report)")
      return seat.stop()
    }
    #expect(seat.report.problem?.sentence.contains("libblurt-that-is-not-there.so.0") == true)
    seat.stop()
  }

  @Test("Y-131 another library of that name, without the functions: the same")
  func wrongLibrary() async throws {
    var options = LogindSeat.Options(userID: 1000)
    options.library = "libm.so.6"
    let seat = try LogindSeat(options)
    #expect(await eventually { seat.report.isKnown })
    #expect(seat.report.problem?.sentence.contains("lacks sd_bus_open_system") == true)
    seat.stop()
  }

  @Test("Y-131 no system bus: active, with the reason", arguments: ["unix:path=/nonexistent", "nonsense", ""])
  func noBus(_ address: String) async throws {
    guard (try? SystemdLibrary()) != nil else { return }
    var options = LogindSeat.Options(userID: 1000)
    options.address = address
    let seat = try LogindSeat(options)
    #expect(await eventually { seat.report.isKnown })
    #expect(seat.report.standing == .active)
    guard case .noBus? = seat.report.problem else {
      Issue.record("\(seat.report)")
      return seat.stop()
    }
    seat.stop()
  }

  @Test("a stop while the bus takes the connection and says nothing does not wait for it")
  func silentBus() async throws {
    guard (try? SystemdLibrary()) != nil else { return }
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket)
    var options = LogindSeat.Options(userID: 1000)
    options.address = "unix:path=\(folder.socket)"
    options.limits.connection = .seconds(3600)
    let seat = try LogindSeat(options)
    let descriptor = listener.raw
    let hasCalled = await eventually {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) == 1
    }
    #expect(hasCalled)
    seat.stop()
    #expect(!seat.report.isKnown)
  }
}
