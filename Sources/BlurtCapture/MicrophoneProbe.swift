package import BlurtEngine
internal import BlurtOS

/// Finds out whether a microphone can be opened, without recording (P-82).
package enum MicrophoneProbe {
  package enum Finding: Sendable, Hashable {
    case opens
    /// It is not there. A press takes the default one, which can be opened (C-07).
    case absent
    /// The failure as a press would show it.
    case fails(BlurtError)
  }

  /// Opens and closes the PCM without starting it, on a thread of its own.
  ///
  /// Nothing is captured and no indicator of a recording appears. A sound server that does not answer holds up the
  /// caller: give it a limit.
  package static func look(at device: String) async -> Finding {
    do {
      return try await Blocking.run(name: "blurt-mic-probe") { () -> Finding in
        ALSAMessages.catchOnThisThread()
        // The configuration may be older than a sound server that came or went (B-95).
        ALSAConfiguration.forget()
        do throws(ALSAError) {
          _ = try PCMHandle.open(device)
          return .opens
        } catch {
          let isReplaced = error.kind == .missing && device != "default" && canOpen("default")
          return isReplaced ? .absent : .fails(CaptureFailure.cannotOpen(error))
        }
      }
    } catch {
      return .fails(
        .audioCaptureFailed(
          underlying: UnderlyingError(domain: .posix, code: Int(error.code), message: "No thread could be started.")))
    }
  }

  private static func canOpen(_ name: String) -> Bool {
    do throws(ALSAError) {
      _ = try PCMHandle.open(name)
      return true
    } catch {
      return false
    }
  }
}
