/// Whether a condition comes true while other tasks run, within a bounded time.
///
/// For what has no event to wait for, as a deallocation. Yields and never sleeps.
public func eventually(
  within limit: Duration = .seconds(20), _ condition: @Sendable () async -> Bool
) async -> Bool {
  let deadline = ContinuousClock.now + limit
  while await !condition() {
    guard ContinuousClock.now < deadline else { return false }
    await Task.yield()
  }
  return true
}
