internal import BlurtEngine

/// Listens for speech, in a process of its own: what the offline engine transcribes, however long, never holds it up.
///
/// That process loads no model, about 30 MB. Its owner calls `stop` before it goes.
package final class OfflineGate: Sendable {
  private let process: OfflineProcess

  /// The parameters are those of `OfflineTranscriber`.
  package init(
    installation: @escaping @Sendable () -> OfflineInstallation?, program: String,
    idleMinutes: @escaping @Sendable () -> Double, clock: any Clock<Duration>
  ) {
    process = OfflineProcess(
      .gate, installation: installation, program: program, idleMinutes: idleMinutes, clock: clock)
  }

  package func warmUp() async { await process.warmUp() }

  /// Ends the process; a later call starts it again.
  package func stop() async { await process.stop() }

  /// The process is wanted until `endUse`: it loads while the user speaks.
  package func beginUse() async { await process.beginUse() }
  package func endUse() async { await process.endUse() }

  /// Whether somebody speaks in a kept recording, and where: for engines that make up words where nobody does.
  ///
  /// Throws an `UnderlyingError`, also where the answer takes too long, and `CancellationError`.
  package func answer(for path: String, byteCount: Int) async throws -> OfflineAnswer {
    let audio = Duration.milliseconds(SyncSTTLimits.milliseconds(ofByteCount: byteCount))
    return try await process.transcribe(path: path, audio: audio)
  }
}
