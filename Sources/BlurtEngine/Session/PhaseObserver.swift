internal import Synchronization

/// One reader of the phases.
///
/// Its end is only noted, by whoever ends it: that happens inside the cancel of a task, which holds that task's own lock
/// and must wait for nothing of the session's.
final class PhaseObserver: Sendable {
  private final class End: Sendable {
    let hasCome = Atomic<Bool>(false)
  }

  private let continuation: AsyncStream<PhaseChange>.Continuation
  private let end = End()

  init(_ continuation: AsyncStream<PhaseChange>.Continuation) {
    self.continuation = continuation
    continuation.onTermination = { [end] _ in end.hasCome.store(true, ordering: .relaxed) }
  }

  var hasEnded: Bool { end.hasCome.load(ordering: .relaxed) }

  func tell(_ change: PhaseChange) { continuation.yield(change) }

  func finish() { continuation.finish() }
}
