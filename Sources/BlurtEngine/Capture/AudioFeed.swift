/// The live sound of one recording: 16 kHz, mono, signed 16-bit little-endian, in order.
///
/// The stream is unbounded and is finished by the microphone's stop, by its cancel and when the recorder is dropped
/// (C-08). One consumer reads it; a second may go on where the first left off, never beside it.
public struct AudioFeed: Sendable {
  /// The frames, unless somebody takes them by `readToEnd`. An empty one means nothing.
  public let frames: AsyncStream<[UInt8]>
  /// The same bytes, kept in a file as they arrive; nil where nothing is kept.
  public let recording: (any KeptRecording)?
  private let relay: AudioRelay?

  public init(frames: AsyncStream<[UInt8]>, recording: (any KeptRecording)? = nil) {
    self.frames = frames
    self.recording = recording
    relay = nil
  }

  /// A feed whose frames `relay` sends.
  public init(_ relay: AudioRelay, recording: (any KeptRecording)? = nil) {
    frames = relay.frames
    self.recording = recording
    self.relay = relay
  }

  /// Gives every frame that is left to `take`, in order, and returns at the end of the feed or when this task is cancelled.
  ///
  /// Of a feed with a relay, `take` runs on the capture thread as soon as a frame is there, and no task wakes for it: it must
  /// be quick and must not wait for anything. It is called by one thread at a time, and never after this has returned.
  public func readToEnd(_ take: @escaping @Sendable ([UInt8]) -> Void) async {
    var rest = frames.makeAsyncIterator()
    guard let relay else {
      while let frame = await rest.next() { take(frame) }
      return
    }
    defer { relay.release() }
    relay.hold()
    // What was on the stream before.
    while let frame = await rest.next(), !frame.isEmpty { take(frame) }
    // The stream of a cancelled task has ended early: what waits is not next in order.
    guard !Task.isCancelled else { return }
    relay.pass(to: take)
    while let frame = await rest.next() { take(frame) }
  }
}
