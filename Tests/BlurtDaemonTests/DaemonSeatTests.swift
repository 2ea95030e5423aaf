import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtDaemon

/// A whole daemon in this process, with a logind of the test's own.
@Suite(
  "The daemon and its seat", .serialized, .enabled(if: LogindBus.isAvailable, Comment(rawValue: LogindBus.absence)),
  .timeLimit(.minutes(1)))
struct DaemonSeatTests {
  private let folder = SocketFolder()

  private func start(_ bus: LogindBus) throws -> Daemon {
    try Daemon(
      options: DaemonOptions(),
      environment: [
        "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/nonexistent",
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
      ], activatedSocket: nil)
  }

  private func answer(_ client: LineClient, to command: String) throws -> String {
    try client.send(command)
    return try #require(client.line())
  }

  @Test(
    "Y-131 B-29 S-140 S-141 locked, in the background, asleep: a press is refused with the reason, and works on return")
  func refuses() async throws {
    let bus = try LogindBus()
    try bus.session("3")
    let daemon = try start(bus)
    let socket = folder.file("blurt/blurtd.sock")
    let (client, watcher) = (try LineClient(socket), try LineClient(socket))
    #expect(try answer(watcher, to: #"{"id":"w","cmd":"watch"}"#).contains("done"))
    #expect(watcher.line()?.contains("phase") == true)
    // It is watched once a lock lasts.
    let isHeld = try await eventually { try bus.holds() == 1 }
    #expect(isHeld)
    func step() throws -> String {
      while let line = watcher.line() { if line.contains(#""event":"listening""#) { return line } }
      throw WatchEnded()
    }
    for (change, back, reason) in [
      (("locked", "true"), ("locked", "false"), "seatInactive"),
      (("active", "false"), ("active", "true"), "seatInactive"),
    ] {
      try bus.session("3", change)
      let left = try step()
      #expect(left.contains(#""state":"interrupted""#) && left.contains(#""reason":"\#(reason)""#))
      let press = try answer(client, to: #"{"id":"p-\#(change.0)","cmd":"press"}"#)
      #expect(press.contains("notListening") && press.contains(#""reason":"\#(reason)""#))
      let status = try answer(client, to: #"{"id":"s-\#(change.0)","cmd":"status"}"#)
      #expect(status.contains(#""window":"interrupted""#) && status.contains(#""reason":"\#(reason)""#))
      try bus.session("3", back)
      #expect(try step().contains(#""state":"open""#))
    }
    try bus.sleep(true)
    #expect(try step().contains(#""reason":"suspended""#))
    // Nothing is live, so sleep need not wait.
    let isReleased = try await eventually { try bus.holds() == 0 }
    #expect(isReleased)
    try bus.sleep(false)
    #expect(try step().contains(#""state":"open""#))
    let doctor = try answer(client, to: #"{"id":"d","cmd":"doctor"}"#)
    #expect(doctor.contains("Session 3 (x11, seat0) is watched; it is in front."))
    await daemon.stop()
    let isLetGo = try await eventually { try bus.holds() == 0 }
    #expect(isLetGo)
  }
}

private struct WatchEnded: Error {}
