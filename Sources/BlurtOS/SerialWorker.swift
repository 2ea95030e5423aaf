internal import Synchronization

/// Runs blocking jobs one after the other, in the order in which they came, on a thread that lives only while there are
/// some: idle costs nothing. Any thread may submit.
package final class SerialWorker: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let name: String
  private let state = Mutex(State())

  /// The name is that of the thread.
  package init(name: String) { self.name = name }

  /// Whether nothing runs and nothing waits.
  package var isIdle: Bool { state.withLock { !$0.isRunning } }

  /// Queues a job and returns at once.
  ///
  /// - Returns: false, and the job is dropped, where that many wait already.
  @discardableResult
  package func submit(unlessWaiting limit: Int = .max, _ job: @escaping @Sendable () -> Void) -> Bool {
    let (isAccepted, starts) = state.withLock { state in
      guard state.waiting.count < limit else { return (false, false) }
      state.waiting.append(job)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if starts {
      Task.detached { [self] in
        do throws(Errno) {
          try await Blocking.run(name: name) { self.runAll() }
        } catch {
          // No thread is to be had: late is better than never.
          runAll()
        }
      }
    }
    return isAccepted
  }

  private func runAll() {
    while true {
      let jobs = state.withLock { state in
        defer { state.waiting = [] }
        state.isRunning = !state.waiting.isEmpty
        return state.waiting
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }
}
