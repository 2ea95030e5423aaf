import BlurtHotkey
import Glibc
import Testing

/// Collects what the hotkey tells, and lets a test wait for it.
final class EventLog: Sendable {
  private struct State {
    var events: [HotkeyEvent] = []
    var statuses: [HotkeyStatus] = []
    /// The thread that brings this many events is kept.
    var holdsFrom = Int.max
  }

  private let state = Locked(State())

  /// For `onEvent`.
  func take(_ event: HotkeyEvent) {
    state.withLock { state in
      if case .statusChanged(let status) = event { state.statuses.append(status) } else { state.events.append(event) }
    }
    while state.withLock({ $0.events.count >= $0.holdsFrom }) { usleep(200) }
  }

  /// Keeps the hotkey's thread busy from the event of that number on, so that it is late for what comes meanwhile.
  func hold(from count: Int = 1) { state.withLock { $0.holdsFrom = count } }

  func letGo() { hold(from: .max) }

  /// All but changes of status.
  var events: [HotkeyEvent] { state.withLock { $0.events } }

  /// The names of the events: start, stop, cancel, latch, keyLost, discarded.
  var names: [String] { events.map(Self.name) }

  var statuses: [HotkeyStatus] { state.withLock { $0.statuses } }

  /// Waits for that many events and returns their names; fails after 30 s.
  @discardableResult
  func names(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
    try await wait(for: "\(count) events", sourceLocation: sourceLocation) { self.events.count >= count }
    return names
  }

  /// Waits for a condition at the level of the rig, where no clock can be advanced; fails after 30 s.
  func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
  ) async throws {
    let deadline = FakeDevice.now() + .seconds(30)
    while !condition() {
      guard FakeDevice.now() < deadline else {
        Issue.record("no \(what) within 30 s; so far: \(names)", sourceLocation: sourceLocation)
        throw Timeout()
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  struct Timeout: Error {}

  private static func name(_ event: HotkeyEvent) -> String {
    switch event {
    case .start: "start"
    case .stop: "stop"
    case .cancel: "cancel"
    case .latch: "latch"
    case .keyLost: "keyLost"
    case .discarded: "discarded"
    case .statusChanged: "status"
    }
  }
}
