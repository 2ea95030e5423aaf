internal import BlurtCapture
internal import BlurtCues
internal import BlurtEngine
internal import BlurtOS

extension Daemon {
  /// How long `pactl` may take to list its sources.
  private static let sourcesLimit: Duration = .seconds(2)

  /// What is heard of a recording: its cues, and the silence of the players meanwhile.
  static func signals(
    cues: CuePlayer, media: MediaPauser, pack: @escaping @Sendable (_ dictation: UInt64?) -> SoundPack
  ) -> RecordingSignals {
    let play: @Sendable (RecordingCue, UInt64?) -> Void = { cue, dictation in
      guard let voice = CueCatalogue.voice(of: pack(dictation)) else { return }
      cues.play(voice.sound(of: cue)) { outcome in
        switch outcome {
        case .played, .superseded: break
        case .late: Log.info("a cue was left out: the output was ready too late")
        case .failed(let error): Log.info("a cue could not be played", ["error": "\(error)"])
        }
      }
    }
    return RecordingSignals(
      onBegan: { dictation in
        play(.start, dictation)
        media.recordingBegan()
      },
      onEnded: { dictation in
        play(.stop, dictation)
        media.recordingEnded()
      })
  }

  /// What can be recorded from: ALSA's list and, where a sound server is reached through ALSA, its sources.
  static func deviceList(
    _ devices: CaptureDevices, environment: [String: String], chosen: @escaping @Sendable () -> String
  ) -> DeviceList {
    DeviceList(
      devices: {
        let list = devices.list()
        guard list.contains(where: { $0.name == "pulse" }) else { return list }
        return list + serverSources(environment: environment)
      }, chosen: chosen, resolve: { devices.resolve($0) })
  }

  /// The sources of the sound server; none where it does not answer, or `pactl` is not installed. Blocks for as long.
  static func serverSources(environment: [String: String]) -> [CaptureDevice] {
    guard let program = HelperProgram.find("pactl", path: environment["PATH"] ?? "/usr/bin:/bin") else { return [] }
    var own = ["LC_ALL": "C.UTF-8"]
    for name in ["PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS"] {
      own[name] = environment[name]
    }
    do throws(Errno) {
      let result = try HelperProgram.run(
        program, arguments: SoundServerSources.arguments, environment: own, limit: sourcesLimit,
        outputLimit: 1 << 20)
      return result.status == 0 ? SoundServerSources.read(result.output) : []
    } catch {
      return []
    }
  }
}
