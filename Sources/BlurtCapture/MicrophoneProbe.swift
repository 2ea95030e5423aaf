package import BlurtEngine
internal import BlurtOS

/// Finds out whether a microphone can be opened, without recording (P-82).
package enum MicrophoneProbe {
  /// Opens and closes the PCM without starting it, on a thread of its own.
  ///
  /// Nothing is captured and no indicator of a recording appears. A sound server that does not answer holds up the
  /// caller: give it a limit.
  ///
  /// - Returns: the failure as a press would show it; nil where the device can be opened.
  package static func failureToOpen(_ device: String) async -> BlurtError? {
    do {
      return try await Blocking.run(name: "blurt-mic-probe") { () -> BlurtError? in
        ALSAMessages.catchOnThisThread()
        do throws(ALSAError) {
          _ = try PCMHandle.open(device)
          return nil
        } catch {
          return CaptureFailure.cannotOpen(error)
        }
      }
    } catch {
      return .audioCaptureFailed(
        underlying: UnderlyingError(domain: .posix, code: Int(error.code), message: "No thread could be started."))
    }
  }
}
