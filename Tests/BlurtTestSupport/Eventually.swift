/// Returns once the condition holds, or false when it does not within the limit. For rigs with real threads and sockets,
/// where no gate can be placed.
package func eventually(
  within limit: Duration = .seconds(10), _ condition: () throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while ContinuousClock.now < deadline {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return try condition()
}
