internal import BlurtContract
package import BlurtCues
package import BlurtEngine

/// What is heard: the cues, and the players that are paused.
extension DoctorProbe {
  /// The cues. That they cannot be played is no failure (P-53).
  package static func sounds(
    pack: @escaping @Sendable () -> SoundPack, open: @escaping @Sendable () async -> CueError?
  ) -> DoctorProbe {
    DoctorProbe("sounds") { _ in
      let pack = pack()
      guard pack != .silent else {
        return DoctorCheck("sounds", .ok, "There are no sounds at the start and the end of a recording.")
      }
      if let error = await open() {
        return DoctorCheck(
          "sounds", .warning, "The sounds cannot be played (\(error)). Dictation works without them.",
          remedy: "blurtctl sounds use none, or look at the sound settings of the desktop")
      }
      return DoctorCheck(
        "sounds", .ok, "The pack \(pack.id) can be played. Whether you hear it: blurtctl sounds play.")
    }
  }

  /// The media players.
  package static func media(
    isOn: @escaping @Sendable () -> Bool, program: @escaping @Sendable () -> String?
  ) -> DoctorProbe {
    DoctorProbe("media") {
      guard isOn() else { return DoctorCheck("media", .ok, "Media players are left alone (BlurtPauseMedia is off).") }
      guard let program = program() else {
        return DoctorCheck(
          "media", .warning, "Media players cannot be paused (BlurtPauseMedia): playerctl is not installed.",
          remedy: "sudo apt-get install playerctl")
      }
      return DoctorCheck("media", .ok, "Media players are paused while you dictate, by \(program).")
    }
  }

  /// The sentence for a chosen microphone that is away (C-07).
  package static func absentMicrophone(_ name: String) -> String {
    "The chosen microphone \(name) is not connected; the default one is used until it is."
  }
}
