package import BlurtContract
package import BlurtCues
package import BlurtEngine
package import BlurtIPC
internal import Glibc

/// `sounds` and `playSound`: which packs there are, and how they sound.
package struct SoundsCommand: CommandService {
  /// Plays sounds one after the other for somebody who listens.
  package typealias Preview =
    @Sendable (_ sounds: [CueSound], _ done: @escaping @Sendable (CuePlayer.Outcome) -> Void) -> Void

  private let chosen: @Sendable () -> SoundPack
  private let phase: @Sendable () -> PhaseChange
  private let preview: Preview

  /// `phase` is that of the session: a microphone that listens is not to hear a sample.
  package init(
    chosen: @escaping @Sendable () -> SoundPack, phase: @escaping @Sendable () -> PhaseChange,
    preview: @escaping Preview
  ) {
    self.chosen = chosen
    self.phase = phase
    self.preview = preview
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .playSound(let id, let cue) = command.action else {
      var ack = command.ack(.done)
      ack.sounds = entries()
      return reply(ack)
    }
    let now = phase()
    guard now.phase.isTerminal else {
      return reply(command.ack(.busy, dictation: now.dictation, phase: EventTranslation.phase(now.phase)))
    }
    guard let pack = id.map({ CueCatalogue.packs.pack(id: $0) }) ?? chosen() else {
      let ids = CueCatalogue.packs.packs.map(\.id).joined(separator: ", ")
      return reply(
        command.ack(
          .failed, reason: .badValue, message: "There is no sound pack \"\((id ?? "").prefix(40))\"; there are \(ids).")
      )
    }
    guard let voice = CueCatalogue.voice(of: pack) else {
      return reply(command.ack(.ignored, message: "The pack \(pack.id) is silent."))
    }
    let sounds =
      switch cue {
      case "start"?: [voice.start]
      case "stop"?: [voice.stop]
      default: [voice.start, voice.stop]
      }
    preview(sounds) { outcome in
      switch outcome {
      case .played: reply(command.ack(.done))
      case .superseded, .late: reply(command.ack(.done, message: "Another sound took its place."))
      case .failed(let error):
        reply(
          command.ack(
            .failed, reason: .fault,
            message: "The sound could not be played (\(error)). Dictation works without it. Try: aplay -L"))
      }
    }
  }

  private func entries() -> [SoundEntry] {
    let chosen = chosen()
    return CueCatalogue.packs.packs.map { pack in
      SoundEntry(
        pack: pack.id, label: pack.label, group: pack.group, isChosen: pack == chosen,
        isDefault: pack == CueCatalogue.packs.defaultPack,
        cues: CueCatalogue.voice(of: pack).map { voice in
          [("start", voice.start), ("stop", voice.stop)].map { name, sound in Self.entry(name, sound) }
        } ?? [])
    }
  }

  private static func entry(_ name: String, _ sound: CueSound) -> SoundEntry.Cue {
    let level = sound.peakDBFS + 20 * log10(PresentationTiming.cueVolume)
    return SoundEntry.Cue(
      cue: name, durationMilliseconds: Int(sound.duration / .milliseconds(1)), peakDBFS: (level * 10).rounded() / 10,
      frequency: sound.fundamental)
  }
}
