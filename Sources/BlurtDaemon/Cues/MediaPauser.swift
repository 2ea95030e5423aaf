internal import BlurtExecutor
internal import BlurtOS
internal import Synchronization

/// Pauses media players while the user dictates, and lets exactly those play on that it has paused (`BlurtPauseMedia`).
///
/// It asks `playerctl`, which speaks MPRIS with every common player, on a thread of its own that lives only while there
/// is something to do. Where the program is missing or hangs, nothing is paused and nothing is delayed. What was paused
/// is remembered in memory: after the death of the daemon players stay paused, since music that starts by itself later
/// would be the greater surprise.
package final class MediaPauser: Sendable {
  /// Runs `playerctl` with arguments; nil where it is missing, failed or took too long.
  package typealias Run = @Sendable (_ arguments: [String]) -> [UInt8]?

  /// How long one call may take.
  package static let limit: Duration = .seconds(2)

  private let isOn: @Sendable () -> Bool
  private let run: Run
  private let worker = SerialWorker(name: "blurt-media")
  /// Those that this paused, by their MPRIS instance.
  private let paused = Mutex<[String]>([])

  package init(isOn: @escaping @Sendable () -> Bool, run: @escaping Run) {
    self.isOn = isOn
    self.run = run
  }

  /// With the `playerctl` of this environment, looked for at each use.
  package convenience init(isOn: @escaping @Sendable () -> Bool, environment: [String: String]) {
    self.init(isOn: isOn) { arguments in
      guard let program = Self.program(environment) else { return nil }
      var own = ["LC_ALL": "C.UTF-8"]
      for name in ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"] { own[name] = environment[name] }
      do throws(Errno) {
        let result = try HelperProgram.run(program, arguments: arguments, environment: own, limit: Self.limit)
        if result.status == nil { Log.warning("playerctl did not answer in time") }
        return result.status == 0 ? result.output : nil
      } catch {
        Log.warning("playerctl cannot be run", ["error": "\(error)"])
        return nil
      }
    }
  }

  /// Where `playerctl` is; nil where it is not installed.
  package static func program(_ environment: [String: String]) -> String? {
    HelperProgram.find("playerctl", path: environment["PATH"] ?? "/usr/bin:/bin")
  }

  /// Returns at once.
  package func recordingBegan() {
    guard isOn() else { return }
    worker.submit { [self] in
      let playing = players().filter { $0.value == "Playing" }.map(\.key).sorted()
      for player in playing where run(["--player=\(player)", "pause"]) != nil {
        paused.withLock { $0.append(player) }
      }
    }
  }

  /// Returns at once. Also with the setting turned off meanwhile: what was paused is given back.
  package func recordingEnded() {
    worker.submit { [self] in
      let ours = paused.withLock { paused in
        defer { paused = [] }
        return paused
      }
      guard !ours.isEmpty else { return }
      let now = players()
      // The user may have stopped one, started one, or closed it.
      for player in ours where now[player] == "Paused" { _ = run(["--player=\(player)", "play"]) }
    }
  }

  /// Waits until what was asked for is done, within a limit.
  package func settle(atMost limit: Duration) async {
    guard !worker.isIdle else { return }
    let (done, signal) = AsyncStream.makeStream(of: Void.self)
    worker.submit { signal.finish() }
    let timer = Task.detached {
      try? await TaskClock().sleep(for: limit)
      signal.finish()
    }
    for await _ in done {}
    timer.cancel()
  }

  /// The players with their states, by instance. One whose name cannot be given back to `playerctl` is left out.
  private func players() -> [String: String] {
    let question = ["--all-players", "status", "--format", "{{playerInstance}}\t{{status}}"]
    guard let output = run(question) else { return [:] }
    var players: [String: String] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "\t")
      guard parts.count == 2, !parts[0].contains(where: { $0 == "," || $0 == "%" }) else { continue }
      players[String(parts[0])] = String(parts[1])
    }
    return players
  }
}
