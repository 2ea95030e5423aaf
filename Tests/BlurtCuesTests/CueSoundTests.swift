import BlurtCues
import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct CueSoundTests {
  private static let all = CueCatalogue.voices.flatMap { voice in
    [RecordingCue.start, .stop].map { (voice.pack.id, $0, voice.sound(of: $0)) }
  }

  private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  @Test(
    "Y-28 P-53 every cue of the catalogue sounds as its numbers say: length, peak, strongest frequency",
    .disabled(if: Sanitizer.isOn, Sanitizer.reason))
  func numbers() {
    for (id, cue, sound) in Self.all {
      let samples = sound.samples()
      #expect(samples.count == Int((seconds(sound.duration) * 48_000).rounded()), "\(id) \(cue)")
      #expect(abs(Analysis.peakDBFS(samples) - sound.peakDBFS) < 0.05, "\(id) \(cue)")
      // Short tones are wide: 2 % is a third of a semitone more.
      let found = Analysis.strongestFrequency(samples[...], rate: CueSound.sampleRate)
      #expect(abs(found - sound.fundamental) < 0.02 * sound.fundamental, "\(id) \(cue): \(found)")
    }
  }

  @Test(
    "Y-28 every note is heard where it stands, swells over its attack, and dies away without a click",
    .disabled(if: Sanitizer.isOn, Sanitizer.reason))
  func notes() throws {
    for (id, cue, sound) in Self.all {
      let samples = sound.samples()
      for (index, note) in sound.notes.enumerated() {
        let first = Int(seconds(note.start) * 48_000)
        // Up to the next one.
        let end =
          index + 1 < sound.notes.count ? sound.notes[index + 1].start : note.start + note.length
        let own = samples[first..<Int(seconds(end) * 48_000)]
        let found = Analysis.strongestFrequency(own, rate: CueSound.sampleRate)
        #expect(abs(found - note.frequency) < 0.03 * note.frequency, "\(id) \(cue) \(index): \(found)")
      }
      // The first tenth of the attack is at a fortieth of full, the last sample is as good as silence.
      let rise = samples.prefix(Int(seconds(sound.attack) * 4_800))
      #expect(Analysis.peakDBFS(rise) < sound.peakDBFS - 30, "\(id) \(cue)")
      #expect(abs(Int(try #require(samples.last))) < 40, "\(id) \(cue)")
      // It decays: the last quarter is under the loudest by what the time constant says, at least.
      let tail = samples.suffix(samples.count / 4)
      #expect(Analysis.peakDBFS(tail) < sound.peakDBFS - 6, "\(id) \(cue)")
    }
  }

  @Test("S-88 the volume of 0.35 takes 9.1 dB, and the same sound has the same samples")
  func volume() {
    for (id, cue, sound) in Self.all {
      let samples = sound.samples(volume: PresentationTiming.cueVolume)
      #expect(abs(Analysis.peakDBFS(samples) - (sound.peakDBFS - 9.12)) < 0.05, "\(id) \(cue)")
      #expect(samples == sound.samples(volume: PresentationTiming.cueVolume))
    }
  }

  @Test("P-47 P-49 the catalogue has a chime, a soft voice and silence; start and stop differ")
  func catalogue() throws {
    #expect(CueCatalogue.packs.packs.map(\.id) == ["none", "chime", "soft"])
    #expect(CueCatalogue.packs.defaultPack.id == "chime")
    #expect(CueCatalogue.voice(of: .silent) == nil)
    for voice in CueCatalogue.voices {
      #expect(CueCatalogue.voice(of: voice.pack) == voice)
      #expect(voice.start.samples() != voice.stop.samples())
      // A cue says "now": it is over before it could be in the way.
      #expect(voice.start.duration <= .milliseconds(200) && voice.stop.duration <= .milliseconds(200))
    }
  }
}
