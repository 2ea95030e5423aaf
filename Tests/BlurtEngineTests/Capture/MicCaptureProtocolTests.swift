import BlurtEngine
import BlurtTestSupport
import Testing

/// A microphone that implements only what it must.
private final class PlainMicrophone: MicCaptureProtocol {
  let stops = Box(0)

  func start(keepingIn recording: (any KeptRecording)?) async throws -> AudioFeed {
    AudioFeed(frames: AsyncStream { $0.finish() }, recording: recording)
  }

  func stop() async throws -> Int {
    stops.value += 1
    return 640
  }
}

@Suite(.timeLimit(.minutes(1))) struct MicCaptureProtocolTests {
  @Test("C-03 a host's microphone without a cancel of its own is stopped, and the count is dropped")
  func cancel() async throws {
    let microphone = PlainMicrophone()
    try await microphone.cancelCapture()
    #expect(microphone.stops.value == 1)
  }

  @Test("C-04 without a meter the stream of levels is empty and finished: nobody hangs on it")
  func levels() async {
    for await level in PlainMicrophone().levels { Issue.record("a level of \(level)") }
  }

  @Test("C-05 without a set-up of its own warming up does nothing")
  func warmUp() async {
    let microphone = PlainMicrophone()
    await microphone.warmUp()
    #expect(microphone.stops.value == 0)
  }
}
