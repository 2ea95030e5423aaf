/// Why a FLAC or Ogg file gives no sound.
///
/// The codes are the exit statuses of `blurt-offline --decode`: what a foreign decoder has touched tells the daemon a number
/// and never a sentence.
package enum SoundFault: Int32, Error, Sendable, Hashable, CaseIterable {
  case libraryMissing = 20
  /// It is there and lacks a function.
  case libraryUnusable = 21
  /// The library does not know it, or not a single sample can be decoded.
  case unreadable = 22
  /// A rate or a number of channels that WAV files must not have either.
  case unsupportedLayout = 23
  /// It is sound, of no length.
  case empty = 24
  /// Found out by decoding: nobody believes what a header says.
  case tooLong = 25
  /// The process could not be started.
  case notStarted = 101
  /// It died.
  case crashed = 102
  /// It was killed at its limit.
  case timedOut = 103

  /// What is wrong with the file, and what to do.
  package var sentence: String {
    switch self {
    case .libraryMissing:
      "FLAC and Ogg files are read by libsndfile, which is not installed: sudo apt-get install libsndfile1"
    case .libraryUnusable:
      "FLAC and Ogg files are read by libsndfile, and the installed one is too old or damaged. \(Self.remedy)"
    case .unreadable:
      "It is damaged, or holds something else than FLAC, Vorbis or Opus sound. \(Self.remedy)"
    case .unsupportedLayout:
      "Its sample rate is not within 4000 to 192000, or it has more than 32 channels. \(Self.remedy)"
    case .empty: "It holds no sound at all."
    case .tooLong:
      "It is longer than 20 minutes. Split it, for instance: sox IN OUT.wav trim 0 1200 : newfile : restart"
    case .notStarted:
      "FLAC and Ogg files are read by the program blurt-offline, which cannot be started: install it beside blurtd."
    case .crashed: "The decoder crashed on it: it is damaged. \(Self.remedy)"
    case .timedOut: "The decoder took too long and was stopped. \(Self.remedy)"
    }
  }

  private static let remedy = "Convert it, for instance: sox IN -r 16000 -c 1 -b 16 OUT.wav"
}
