import BlurtContract
import Testing

@testable import BlurtIPC

@Suite struct OwnerWatchdogTests {
  private func started(_ id: String, _ dictation: UInt64) -> CommandAck {
    CommandAck(id: id, result: .started, dictation: dictation)
  }

  @Test("S-132 a client that promised a heartbeat is silent when no line came for that long")
  func silence() {
    var watchdog = OwnerWatchdog()
    #expect(!watchdog.isNeeded && watchdog.silentAt == nil)
    watchdog.pressed("1", .heartbeat(.seconds(2)), at: .seconds(10))
    #expect(watchdog.silentAt == .seconds(12))
    watchdog.answered(started("1", 5), firstLive: 0)
    watchdog.heard(at: .seconds(11))
    #expect(watchdog.silentAt == .seconds(13))
    watchdog.end()
    #expect(!watchdog.isNeeded && watchdog.silentAt == nil)
  }

  @Test("S-132 a lease on the connection alone needs no timer")
  func noTimer() {
    var watchdog = OwnerWatchdog()
    watchdog.pressed("1", .connection, at: .zero)
    #expect(watchdog.isNeeded && watchdog.silentAt == nil)
    watchdog.pressed("2", .none, at: .zero)
    watchdog.answered(started("1", 1), firstLive: 0)
    #expect(watchdog.isNeeded && watchdog.silentAt == nil)
  }

  @Test("S-125 S-132 a press that was not accepted has no lease and takes none away")
  func busy() {
    var watchdog = OwnerWatchdog()
    watchdog.pressed("1", .heartbeat(.seconds(5)), at: .zero)
    watchdog.answered(started("1", 1), firstLive: 0)
    watchdog.pressed("2", .heartbeat(.seconds(1)), at: .zero)
    #expect(watchdog.silentAt == .seconds(1))
    watchdog.answered(CommandAck(id: "2", result: .busy, dictation: 1), firstLive: 1)
    #expect(watchdog.silentAt == .seconds(5))
    watchdog.answered(CommandAck(id: "unknown", result: .done), firstLive: 1)
    #expect(watchdog.isNeeded)
  }

  @Test("S-129 a lease ends with its dictation, whichever is heard of first")
  func ended() {
    var watchdog = OwnerWatchdog()
    watchdog.pressed("1", .connection, at: .zero)
    watchdog.ended(through: 9)
    #expect(watchdog.isNeeded)
    watchdog.answered(started("1", 10), firstLive: 10)
    watchdog.ended(through: 9)
    #expect(watchdog.isNeeded)
    watchdog.ended(through: 10)
    #expect(!watchdog.isNeeded)
    watchdog.pressed("2", .connection, at: .zero)
    watchdog.answered(started("2", 11), firstLive: 12)
    #expect(!watchdog.isNeeded)
  }

  @Test("S-110 the longest silence that may be promised keeps the limit of a dead owner's release")
  func limits() {
    #expect(SessionContract.leaseHeartbeat.upperBound <= SessionContract.deadOwnerRelease)
    #expect(SessionContract.leaseHeartbeat == .milliseconds(500) ... .seconds(10))
  }
}
