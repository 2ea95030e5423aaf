/// Returns true once the condition holds, false when it does not within the limit.
///
/// For what has no event to wait for: a deallocation, or a rig with real threads and sockets where no gate can be placed.
public func eventually(
  within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while ContinuousClock.now < deadline {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return try await condition()
}
