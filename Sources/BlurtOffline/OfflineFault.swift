package import BlurtEngine

/// Why the offline engine could not answer (codes of `UnderlyingError.Domain.offline`).
///
/// The codes travel between the engine's process and the daemon and stay as they are.
package enum OfflineFault: Int, Sendable, Hashable, CaseIterable {
  /// No folder with library and model.
  case notInstalled = 1
  /// The library is there and cannot be used.
  case libraryUnusable = 2
  /// The library is there and does not take the model.
  case modelUnusable = 3
  /// The recording cannot be read.
  case unreadableAudio = 4
  /// The library refused a clip.
  case decodeFailed = 5
  /// The process ended while it worked, twice on the same recording.
  case crashed = 6
  /// The process took longer than the recording allows and was killed.
  case timedOut = 7
  /// The process could not be started.
  case notStarted = 8
  /// Not every captured byte reached the file.
  case incompleteRecording = 9
  /// The process was asked for something it does not understand.
  case badRequest = 10

  /// The fault with its sentence, as it reaches the seam.
  package func error(_ message: String) -> UnderlyingError {
    UnderlyingError(domain: .offline, code: rawValue, message: message)
  }

  /// What to do when the engine's files are missing or broken.
  package static let remedy = "Run scripts/fetch-offline-engine.sh, or choose another engine."
}
