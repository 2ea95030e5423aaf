internal import BlurtExecutor
internal import Glibc

/// Called before the first line of the test process: with `BLURT_TEST_EXECUTOR=own` all tests run on the executor that the
/// daemon brings along, else on Dispatch's pool, as in a program that embeds the engine.
@_cdecl("blurt_test_start")
public func startTests() {
  guard let wanted = getenv("BLURT_TEST_EXECUTOR"), String(cString: wanted) == "own" else { return }
  do {
    guard try TaskExecution.install() else { fatalError("Swift's runtime has no hooks for an executor of our own") }
  } catch {
    fatalError("the executor cannot be installed: \(error)")
  }
}
