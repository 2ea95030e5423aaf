import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite(.timeLimit(.minutes(1))) struct MediaPauserTests {
  /// Players that answer as `playerctl` does.
  private final class Players: Sendable {
    let states: Box<[String: String]>
    let calls = Box<[[String]]>([])

    init(_ states: [String: String]) { self.states = Box(states) }

    func run(_ arguments: [String]) -> [UInt8]? {
      calls.append(arguments)
      if arguments.first == "--all-players" {
        let lines = states.value.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }
        return lines.isEmpty ? nil : Array(lines.joined().utf8)
      }
      let name = String(arguments[0].dropFirst("--player=".count))
      guard states.value[name] != nil else { return nil }
      states.update { $0[name] = arguments[1] == "pause" ? "Paused" : "Playing" }
      return []
    }
  }

  private func settle(_ pauser: MediaPauser) async { await pauser.settle(atMost: .seconds(20)) }

  @Test("exactly the players that were playing are paused, and play on afterwards")
  func pauses() async {
    let players = Players(["mpv": "Playing", "spotify": "Paused", "vlc.instance2": "Stopped", "firefox": "Playing"])
    let pauser = MediaPauser(isOn: { true }, run: players.run)
    pauser.recordingBegan()
    await settle(pauser)
    #expect(players.states.value["mpv"] == "Paused" && players.states.value["firefox"] == "Paused")
    pauser.recordingEnded()
    await settle(pauser)
    #expect(
      players.states.value == ["mpv": "Playing", "spotify": "Paused", "vlc.instance2": "Stopped", "firefox": "Playing"])
    // Once is enough.
    let count = players.calls.value.count
    pauser.recordingEnded()
    await settle(pauser)
    #expect(players.calls.value.count == count)
  }

  @Test("one that the user stopped, started or closed meanwhile is left alone")
  func touched() async {
    let players = Players(["a": "Playing", "b": "Playing", "c": "Playing"])
    let pauser = MediaPauser(isOn: { true }, run: players.run)
    pauser.recordingBegan()
    await settle(pauser)
    players.states.update { states in
      states["a"] = "Stopped"
      states["b"] = "Playing"
      states["c"] = nil
    }
    pauser.recordingEnded()
    await settle(pauser)
    #expect(players.states.value == ["a": "Stopped", "b": "Playing"])
    #expect(!players.calls.value.contains { $0.last == "play" })
  }

  @Test("with the setting off nothing is asked, and what was paused before plays on")
  func off() async {
    let players = Players(["a": "Playing"])
    let isOn = Box(false)
    let pauser = MediaPauser(isOn: { isOn.value }, run: players.run)
    pauser.recordingBegan()
    pauser.recordingEnded()
    await settle(pauser)
    #expect(players.calls.value == [])
    isOn.value = true
    pauser.recordingBegan()
    await settle(pauser)
    isOn.value = false
    pauser.recordingEnded()
    await settle(pauser)
    #expect(players.states.value == ["a": "Playing"])
  }

  @Test("a name that playerctl would take for several players is left alone")
  func names() async {
    let players = Players(["a,b": "Playing", "%any": "Playing", "c": "Playing"])
    let pauser = MediaPauser(isOn: { true }, run: players.run)
    pauser.recordingBegan()
    await settle(pauser)
    #expect(players.states.value == ["a,b": "Playing", "%any": "Playing", "c": "Paused"])
  }

  /// A `playerctl` that is a script with the state of one player in a file.
  private func script(_ body: String, in folder: SocketFolder) throws -> [String: String] {
    let path = folder.file("playerctl")
    try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o755)
    return ["PATH": "\(folder.path):/usr/bin:/bin", "HOME": folder.path, "ASSEMBLYAI_API_KEY": "secret"]
  }

  @Test("the program is run without a shell and without the daemon's environment, and its answers are read")
  func program() async throws {
    let folder = SocketFolder()
    let state = folder.file("state")
    try Data("Playing".utf8).write(to: URL(filePath: state))
    let environment = try script(
      """
      printf '%s|' "$@" >>'\(folder.file("calls"))'; env >'\(folder.file("env"))'
      case $1 in
      --all-players) printf 'my player\\t%s\\n' "$(cat '\(state)')" ;;
      '--player=my player') [ "$2" = pause ] && printf Paused >'\(state)' || printf Playing >'\(state)' ;;
      esac
      """, in: folder)
    #expect(MediaPauser.program(environment) == folder.file("playerctl"))
    let pauser = MediaPauser(isOn: { true }, environment: environment)
    pauser.recordingBegan()
    await settle(pauser)
    #expect(try String(contentsOfFile: state, encoding: .utf8) == "Paused")
    pauser.recordingEnded()
    await settle(pauser)
    #expect(try String(contentsOfFile: state, encoding: .utf8) == "Playing")
    #expect(!(try String(contentsOfFile: folder.file("env"), encoding: .utf8)).contains("secret"))
  }

  @Test("a program that fails or is missing pauses nothing")
  func failing() async throws {
    let folder = SocketFolder()
    for environment in [try script("exit 1", in: folder), ["PATH": "/nonexistent"]] {
      let pauser = MediaPauser(isOn: { true }, environment: environment)
      pauser.recordingBegan()
      pauser.recordingEnded()
      await settle(pauser)
    }
    #expect(MediaPauser.program(["PATH": "/nonexistent"]) == nil)
  }
}
