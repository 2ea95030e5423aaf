internal import Glibc

/// One cue, described in numbers: a few sine notes with a soft beginning and an end that dies away.
///
/// There are no sound files: `samples` makes the sound when it is wanted, the same samples every time.
package struct CueSound: Sendable, Hashable {
  /// One note of a cue.
  package struct Note: Sendable, Hashable {
    /// In Hz.
    package let frequency: Double
    /// From the start of the cue.
    package let start: Duration
    package let length: Duration

    package init(_ frequency: Double, from start: Duration = .zero, for length: Duration) {
      self.frequency = frequency
      self.start = start
      self.length = length
    }
  }

  /// Samples a second; every sound server and nearly every card takes it.
  package static let sampleRate = 48_000
  /// Every note ends with a fade of this length, so that none ends with a click.
  package static let release: Duration = .milliseconds(10)

  /// The notes by their start. The last one is the longest.
  package let notes: [Note]
  /// The highest sample, in dB under full scale, before the volume (S-88) is applied.
  package let peakDBFS: Double
  /// From silence to full, a raised cosine.
  package let attack: Duration
  /// The time in which a note falls to 1/e.
  package let decay: Duration

  package init(notes: [Note], peakDBFS: Double, attack: Duration, decay: Duration) {
    self.notes = notes
    self.peakDBFS = peakDBFS
    self.attack = attack
    self.decay = decay
  }

  /// From the first sample to the last.
  package var duration: Duration { notes.map { $0.start + $0.length }.max() ?? .zero }

  /// The strongest frequency, in Hz: that of the longest note.
  package var fundamental: Double { notes.max { $0.length < $1.length }?.frequency ?? 0 }

  /// The sound at 48 kHz, mono, its peak at `peakDBFS` times the volume.
  package func samples(volume: Double = 1) -> [Int16] {
    var sum = [Double](repeating: 0, count: Self.frameCount(duration))
    for note in notes {
      let first = Self.frameCount(note.start)
      let count = Self.frameCount(note.length)
      for index in 0..<min(count, sum.count - first) {
        let phase = 2 * Double.pi * note.frequency * Double(index) / Double(Self.sampleRate)
        sum[first + index] += sin(phase) * envelope(at: index, of: count)
      }
    }
    let highest = sum.reduce(0) { max($0, abs($1)) }
    guard highest > 0 else { return [Int16](repeating: 0, count: sum.count) }
    let scale = pow(10, peakDBFS / 20) * volume * Double(Int16.max) / highest
    return sum.map { Int16(($0 * scale).rounded()) }
  }

  private func envelope(at index: Int, of count: Int) -> Double {
    let time = Double(index) / Double(Self.sampleRate)
    let left = Double(count - index) / Double(Self.sampleRate)
    let rise = time < Self.seconds(attack) ? 0.5 - 0.5 * cos(.pi * time / Self.seconds(attack)) : 1
    let fall = left < Self.seconds(Self.release) ? left / Self.seconds(Self.release) : 1
    return rise * fall * exp(-time / Self.seconds(decay))
  }

  private static func frameCount(_ duration: Duration) -> Int {
    Int((seconds(duration) * Double(sampleRate)).rounded())
  }

  private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
