package import BlurtEngine
internal import BlurtExecutor
package import BlurtOS
internal import Glibc

/// Developer mode's record of dictations and failures (S-98…S-106): two files that are written only while it is on.
///
/// Any thread may append; a worker of its own writes, in the order of the calls, and a fault there never reaches a
/// dictation. Turning developer mode off stops the writing and removes nothing (P-83).
package final class DeveloperLog: Sendable {
  /// Lines that may wait for a disk that hangs; later ones are dropped and reported.
  package static let waitingLimit = 1_000

  private let folder: DeveloperLogFolder?
  private let home: String?
  private let isOn: @Sendable () -> Bool
  private let worker = SerialWorker(name: "blurt-devlog")

  /// - Parameters:
  ///   - folder: Made with the first line; nil where the environment names no place.
  ///   - home: The user's home folder, for paths that are shown.
  ///   - isOn: Whether developer mode is on, asked at each event.
  package init(folder: String?, home: String?, isOn: @escaping @Sendable () -> Bool) {
    self.folder = folder.map(DeveloperLogFolder.init)
    self.home = home
    self.isOn = isOn
  }

  /// Writes a line down, later; while developer mode is off, the event is not even looked at (S-98).
  package func append(_ line: @autoclosure () -> DeveloperLogLine) {
    guard isOn() else { return }
    let line = line()
    guard let folder else { return Self.report(line.file, "neither XDG_STATE_HOME nor HOME is set") }
    let isQueued = worker.submit(unlessWaiting: Self.waitingLimit) {
      do throws(Errno) { try folder.append(line) } catch { Self.report(line.file, error.reason) }
    }
    if !isQueued { Self.report(line.file, "too many lines wait for the disk") }
  }

  /// S-105: removes both files, after the lines that wait; success where there are none.
  package func removeStoredLogs() async throws(Errno) {
    guard let folder else { return }
    let result: Result<Void, Errno> = await withCheckedContinuation { continuation in
      worker.submit {
        do throws(Errno) {
          try folder.removeFiles()
          continuation.resume(returning: .success(()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    try result.get()
  }

  /// Returns once everything that was appended so far is written, or after that time.
  package func settle(atMost limit: Duration) async {
    guard !worker.isIdle else { return }
    let (written, signal) = AsyncStream.makeStream(of: Void.self)
    worker.submit { signal.finish() }
    let timer = Task.detached {
      try? await TaskClock().sleep(for: limit)
      signal.finish()
    }
    for await _ in written {}
    timer.cancel()
  }

  /// S-106: where a file is written, for people: `~/.local/state/blurt/errors.jsonl`.
  package func displayPath(of file: DeveloperLogFile) -> String? {
    folder.map { DisplayPath.abbreviated("\($0.path)/\(file.name)", home: home) }
  }

  /// S-103: the name only.
  private static func report(_ file: DeveloperLogFile, _ reason: String) {
    Log.warning("a line of developer mode was not written", ["file": file.name, "reason": reason])
  }
}
