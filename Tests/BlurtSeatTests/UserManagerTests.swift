import BlurtOS
import BlurtTestSupport
import Testing

@testable import BlurtSeat

/// The real libsystemd against a bus and a service manager of the test's own.
@Suite(
  "UserManager", .enabled(if: LogindBus.isAvailable, Comment(rawValue: LogindBus.absence)), .timeLimit(.minutes(1)))
struct UserManagerTests {
  private func manager(_ address: String, limit: Duration = .seconds(20)) throws -> UserManager {
    try #require(UserManager(environment: ["DBUS_SESSION_BUS_ADDRESS": address], limit: limit))
  }

  @Test("B-136 B-137 what a session tells the service manager is seen, each time anew")
  func environment() throws {
    let bus = try LogindBus()
    let manager = try manager(bus.address)
    #expect(manager.environment() == nil)
    try bus.environment(["LANG": "C.UTF-8"])
    #expect(manager.environment() == ["LANG": "C.UTF-8"])
    try bus.environment(["DISPLAY": ":7", "XAUTHORITY": "/run/user/7/a=b", "EMPTY": ""])
    #expect(manager.environment() == ["DISPLAY": ":7", "XAUTHORITY": "/run/user/7/a=b", "EMPTY": ""])
    bus.stop()
    #expect(manager.environment() == nil)
  }

  @Test("a service manager that does not answer is not waited for beyond the limit")
  func mute() throws {
    let bus = try LogindBus()
    defer { bus.stop() }
    try bus.environment(["DISPLAY": ":7"])
    try bus.mute(true)
    #expect(try manager(bus.address, limit: .milliseconds(50)).environment() == nil)
  }

  @Test("the bus is that of the environment, else that of the runtime folder; without either there is no manager")
  func address() throws {
    #expect(UserManager(environment: [:]) == nil)
    #expect(UserManager(environment: ["XDG_RUNTIME_DIR": "relative"]) == nil)
    #expect(try manager("disabled:").environment() == nil)
    let folder = try #require(
      UserManager(environment: ["XDG_RUNTIME_DIR": "/run/a b", "DBUS_SESSION_BUS_ADDRESS": ""]))
    #expect(folder.address == "unix:path=/run/a%20b/bus")
    #expect(folder.environment() == nil)
  }
}
