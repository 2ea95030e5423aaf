import BlurtCapture
import BlurtEngine
import BlurtOS
import Glibc
import Testing

/// The `default` PCM of the machine as it is, such as a sound server with a source that plays something.
@Suite(
  .enabled(
    if: getenv("BLURT_TEST_DEFAULT_MIC") != nil,
    "needs a default microphone that delivers sound, and BLURT_TEST_DEFAULT_MIC=1"),
  .serialized, .timeLimit(.minutes(1)))
struct DefaultDeviceTests {
  @Test("C-01 C-09 the default device delivers in real time, and presses in a row find it free")
  func presses() async throws {
    // Where other tests have been with their own.
    if SoundServer.isThere { try await SoundServer.useSource("rig.monitor") }
    let microphone = MicCapture(device: { "" })
    await microphone.warmUp()
    for press in 1...5 {
      let pressed = MonotonicClock.now()
      let feed = try await microphone.start(keepingIn: nil)
      let live = MonotonicClock.now() - pressed
      let reader = FeedReader(feed)
      try await reader.wait(forMilliseconds: 500)
      let released = MonotonicClock.now()
      let count = try await microphone.stop()
      let stopped = MonotonicClock.now() - released
      #expect(try await reader.finish().count == count)
      // Real time: no more sound than time has passed, with a buffer of slack.
      let elapsed = MonotonicClock.now() - pressed
      #expect(SyncSTTLimits.milliseconds(ofByteCount: count) <= Int(elapsed / .milliseconds(1)) + 100)
      print("press \(press): live after \(live), stopped after \(stopped), \(count) bytes")
    }
  }
}
