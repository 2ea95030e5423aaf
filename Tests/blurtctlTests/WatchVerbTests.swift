import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@testable import blurtctl

@Suite(.timeLimit(.minutes(1))) struct WatchVerbTests {
  /// What a run prints while it runs.
  private final class Printed: Sendable {
    private let text = Mutex("")

    func add(_ more: String) { text.withLock { $0 += more } }
    var lines: [String] { text.withLock { $0 }.split(separator: "\n").map(String.init) }
    func has(_ part: String) async -> Bool { await eventually { text.withLock { $0 }.contains(part) } }
  }

  private func json(_ line: String) throws -> JSONObject {
    try #require(try JSONReader.read(Array(line.utf8)).object)
  }

  /// Runs until its reader goes.
  private func watch(
    _ line: String, _ daemon: FakeDaemon, terminal: Bool = false, _ body: (Printed) async throws -> Void
  ) async throws -> FakeDaemon.Run {
    let reader = Channel()
    let printed = Printed()
    let socket = daemon.folder.socket
    let writing = reader.writing
    async let run = FakeDaemon.run(
      line, socket: socket, terminal: terminal, reader: writing, onOut: { printed.add($0) })
    do {
      try await body(printed)
    } catch {
      reader.stopReading()
      _ = await run
      throw error
    }
    reader.stopReading()
    return await run
  }

  @Test(
    "S-151 watch ends at once, with 0, when nobody reads its output any more", arguments: ["", " --waybar", " --meter"])
  func readerGone(_ option: String) async throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    let run = try await watch("watch" + option, daemon) { printed in
      #expect(await eventually { !printed.lines.isEmpty })
    }
    #expect(run.status == .done)
    #expect(run.err == "")
  }

  @Test(
    "S-131 S-112 watch --own says that it is on screen, at once; another client's word is told once, and asked again")
  func presence() async throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    let own = try await watch("watch --own", daemon, terminal: true) { _ in
      #expect(await eventually { daemon.commands.contains { $0.action == .presence(onScreen: true) } })
    }
    #expect(own.err == "")
    let taken = try FakeDaemon(FakeDaemon.Script(presence: .notOwner))
    defer { taken.stop() }
    let refused = try await watch("watch --own", taken, terminal: true) { printed in
      #expect(await eventually { !taken.commands.isEmpty })
      // The answer to it comes before this event.
      taken.broadcast(.notice(NoticeEvent(notice: "later", message: "Later.")))
      #expect(await printed.has("Later."))
    }
    #expect(refused.status == .done)
    #expect(refused.err == "Another client is on screen; this one waits for its turn.\n")
  }

  @Test("S-112 presence is said again every 4 s, whatever was answered, and a refusal is told once in a row")
  func presenceTimes() {
    var presence = Presence(isHeld: true)
    #expect(presence.isDue(at: .seconds(1)))
    presence.sent("a", at: .seconds(1))
    #expect(!presence.isDue(at: .milliseconds(4999)))
    #expect(presence.due == .seconds(5))
    let refused = CommandAck(id: "a", result: .notOwner)
    #expect(presence.isRefused(refused) == true)
    presence.sent("b", at: .seconds(5))
    #expect(presence.isRefused(CommandAck(id: "a", result: .notOwner)) == false)
    #expect(presence.isRefused(CommandAck(id: "b", result: .notOwner)) == false)
    presence.sent("c", at: .seconds(9))
    #expect(presence.isRefused(CommandAck(id: "c", result: .done)) == false)
    presence.sent("d", at: .seconds(13))
    #expect(presence.isRefused(CommandAck(id: "d", result: .notOwner)) == true)
    var none = Presence(isHeld: false)
    #expect(!none.isDue(at: .seconds(99)))
    #expect(none.due == nil)
    #expect(none.isRefused(refused) == false)
  }

  @Test(
    "B-42 watch --waybar prints an offline object when the daemon goes away, and comes back to the next one by itself")
  func bar() async throws {
    let first = try FakeDaemon()
    let run = try await watch("watch --waybar", first) { printed in
      #expect(await printed.has(#""alt":"idle""#))
      first.stop()
      #expect(await printed.has(#""alt":"offline""#))
      let second = try FakeDaemon(folder: first.folder)
      #expect(await eventually { printed.lines.last?.contains(#""alt":"idle""#) == true })
      second.broadcast(.phase(PhaseEvent(phase: .recording, overlay: "recording", label: "Recording")))
      #expect(await printed.has(#""alt":"recording""#))
      second.stop()
      #expect(await eventually { printed.lines.last?.contains(#""alt":"offline""#) == true })
    }
    #expect(run.status == .done)
    let lines = run.out.split(separator: "\n").map(String.init)
    for line in lines {
      let members = try json(line)
      #expect(members.keys == ["alt", "class", "text", "tooltip"])
      #expect(members["alt"] == members["class"])
    }
    #expect(
      try lines.map { try json($0)["alt"]?.string } == ["idle", "offline", "idle", "recording", "offline"])
  }

  @Test("S-151 watch --waybar without a daemon waits for one and never connects, so that no socket unit starts it")
  func barStartsNothing() async throws {
    let folder = SocketFolder()
    // As systemd does: it listens although no daemon runs.
    let listener = try UnixSocket.listen(at: folder.socket)
    let reader = Channel()
    let writing = reader.writing
    let run = await FakeDaemon.run(
      "watch --waybar", socket: folder.socket, terminal: false, reader: writing, onOut: { _ in reader.stopReading() })
    #expect(run.status == .done)
    #expect(try json(run.out)["class"] == "offline")
    var waiting = pollfd(fd: listener.raw, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 0) == 0)
  }

  @Test("S-82 watch --waybar goes back to idle by itself after the dwell")
  func barDwell() async throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    let run = try await watch("watch --waybar", daemon) { printed in
      #expect(await printed.has(#""alt":"idle""#))
      daemon.broadcast(.phase(PhaseEvent(phase: .pasted, overlay: "pasted", dwell: 0.01)))
      #expect(await eventually { printed.lines.count == 3 })
    }
    #expect(
      try run.out.split(separator: "\n").map { try json(String($0))["alt"]?.string } == ["idle", "pasted", "idle"])
  }

  @Test("S-120 watch --waybar asks once how the daemon is, and shows that it does not listen")
  func barClosed() async throws {
    var status = DaemonStatus()
    status.listening = false
    status.reason = .seatInactive
    let daemon = try FakeDaemon(FakeDaemon.Script(status: status))
    defer { daemon.stop() }
    let run = try await watch("watch --waybar", daemon) { printed in #expect(await printed.has(#""alt":"closed""#)) }
    let line = try #require(run.out.split(separator: "\n").last.map(String.init))
    #expect(try json(line)["tooltip"] == .string(FailureReason.seatInactive.text))
  }

  @Test("Y-21 watch --meter draws one line on a terminal, and plain lines into a pipe, and asks for levels")
  func meter() async throws {
    for terminal in [true, false] {
      let daemon = try FakeDaemon()
      defer { daemon.stop() }
      let run = try await watch("watch --meter", daemon, terminal: terminal) { printed in
        #expect(await printed.has("Ready."))
        daemon.broadcast(.phase(PhaseEvent(phase: .recording)))
        #expect(await printed.has("Recording."))
        daemon.broadcast(.notice(NoticeEvent(notice: "x", message: "A \u{1B}[2J notice.")))
        #expect(await printed.has("notice."))
      }
      #expect(run.out.contains("▁"))
      #expect(!run.out.contains("\u{1B}[2J"))
      #expect(run.out.contains("\r") == terminal)
      #expect(run.out.hasSuffix("\n"))
      if !terminal { #expect(!run.out.contains("\u{1B}")) }
    }
  }

  @Test("S-109 a watch that is not answered ends with 6, not never")
  func silent() async throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket)
    let run = await FakeDaemon.run("watch", socket: folder.socket)
    #expect(run.status == .noDaemon)
    #expect(run.err.contains("does not answer"))
    _ = listener.raw
  }
}
