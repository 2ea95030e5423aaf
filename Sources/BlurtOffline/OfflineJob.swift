internal import Synchronization

/// One recording to transcribe, and the caller that waits for it. Answered once; later answers are dropped.
final class OfflineJob: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<OfflineAnswer, any Error>)
    /// Answered before anyone waited.
    case early(Result<OfflineAnswer, any Error>)
    case done
  }

  let path: String
  /// Length of the recording, at most.
  let audio: Duration
  private let state = Mutex(State.new)

  init(path: String, audio: Duration) {
    self.path = path
    self.audio = audio
  }

  /// Whether the caller has its answer, or has given up.
  var isDone: Bool {
    state.withLock { state in
      switch state {
      case .new, .waiting: false
      case .early, .done: true
      }
    }
  }

  func wait(_ continuation: CheckedContinuation<OfflineAnswer, any Error>) {
    let early = state.withLock { state -> Result<OfflineAnswer, any Error>? in
      switch state {
      case .early(let result):
        state = .done
        return result
      case .new, .waiting, .done:
        state = .waiting(continuation)
        return nil
      }
    }
    if let early { continuation.resume(with: early) }
  }

  /// Gives the caller its answer; false when it has one already.
  @discardableResult
  func finish(_ result: Result<OfflineAnswer, any Error>) -> Bool {
    let (first, continuation) = state.withLock {
      state -> (Bool, CheckedContinuation<OfflineAnswer, any Error>?) in
      switch state {
      case .new:
        state = .early(result)
        return (true, nil)
      case .waiting(let continuation):
        state = .done
        return (true, continuation)
      case .early, .done:
        return (false, nil)
      }
    }
    continuation?.resume(with: result)
    return first
  }
}
