internal import Synchronization

/// One reader of the phases.
///
/// Its end is only noted, by whoever ends it: that happens inside the cancel of a task, which holds that task's own lock,
/// while a step of the phase wakes the same task under the session's. Neither may wait for the other.
final class PhaseObserver: Sendable {
  private let continuation: AsyncStream<PhaseChange>.Continuation
  private let ended = Atomic<Bool>(false)

  init(_ continuation: AsyncStream<PhaseChange>.Continuation) {
    self.continuation = continuation
    continuation.onTermination = { [weak self] _ in self?.ended.store(true, ordering: .relaxed) }
  }

  var hasEnded: Bool { ended.load(ordering: .relaxed) }

  func tell(_ change: PhaseChange) { continuation.yield(change) }

  func finish() { continuation.finish() }
}
