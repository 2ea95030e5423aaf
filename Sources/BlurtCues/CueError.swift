internal import CALSA

/// A failed call into libasound while a cue was to be played: which call, on which PCM, with which code.
package struct CueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The negative code as libasound returned it.
  package let code: Int32
  /// The C function.
  package let call: String
  /// The PCM's name.
  package let pcm: String

  package init(_ code: Int32, call: String, pcm: String) {
    self.code = code
    self.call = call
    self.pcm = pcm
  }

  package var description: String {
    let reason = snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return "\(call) \(pcm): \(reason)"
  }
}
