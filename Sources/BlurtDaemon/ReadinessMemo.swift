package import BlurtEngine
internal import Synchronization

/// Remembers that a press was found acceptable, for as long as the settings and the key file that decided it are the same.
///
/// The answer to a press waits for the readiness check; one look at each takes a fraction of reading the settings and the
/// key. What refuses a press is never remembered. Any thread.
package final class ReadinessMemo: Sendable {
  private struct Versions: Hashable {
    let settings: UInt64
    let isKeyOfFile: Bool
    let key: FileVersion?
  }

  private let accepted = Mutex<Versions?>(nil)
  private let now: @Sendable () -> Int64

  /// `now` is the clock of file times.
  package init(now: @escaping @Sendable () -> Int64 = FileVersion.now) { self.now = now }

  /// Why a press would be refused: nil at once if nothing has changed since it was nil, else what `decide` says.
  ///
  /// `settings` is their generation, which is another one after each change. `keyFile` is nil where no file decides whether
  /// there is a key. `decide` says as well whether its answer depends on these alone.
  package func blocker(
    settings: UInt64, keyFile: String?, _ decide: () -> (blocker: BlurtError?, isOfFilesAlone: Bool)
  ) -> BlurtError? {
    // Looked at before the decision: what changes meanwhile is another version next time.
    let versions = Versions(
      settings: settings, isKeyOfFile: keyFile != nil, key: keyFile.flatMap { FileVersion($0) })
    if accepted.withLock({ $0 == versions }) { return nil }
    let (blocker, isOfFilesAlone) = decide()
    let time = now()
    let isSure = versions.key?.isSettled(at: time) ?? true
    accepted.withLock { $0 = blocker == nil && isOfFilesAlone && isSure ? versions : nil }
    return blocker
  }
}
