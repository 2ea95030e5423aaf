package import BlurtEngine

/// A sound pack together with its two sounds.
package struct CueVoice: Sendable, Hashable {
  package let pack: SoundPack
  package let start: CueSound
  package let stop: CueSound

  package init(pack: SoundPack, start: CueSound, stop: CueSound) {
    self.pack = pack
    self.start = start
    self.stop = stop
  }

  package func sound(of cue: RecordingCue) -> CueSound {
    switch cue {
    case .start: start
    case .stop: stop
    }
  }
}
