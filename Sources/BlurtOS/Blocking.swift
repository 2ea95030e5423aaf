/// Runs one blocking piece of work on a thread of its own.
package enum Blocking {
  /// Returns what the work returned. The calling task is suspended meanwhile; nothing of Swift's shared pool is held.
  package static func run<Value: Sendable>(
    name: String, _ body: @escaping @Sendable () -> Value
  ) async throws(Errno) -> Value {
    let result: Result<(Value, WorkerThread), Errno> = await withCheckedContinuation { continuation in
      let (stream, done) = AsyncStream.makeStream(of: Value.self)
      do throws(Errno) {
        let thread = try WorkerThread(name: name) {
          done.yield(body())
          done.finish()
        }
        Task.detached {
          for await value in stream { continuation.resume(returning: .success((value, thread))) }
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    let (value, thread) = try result.get()
    // The body has returned, so this waits for the thread's last instructions only.
    thread.join()
    return value
  }
}
