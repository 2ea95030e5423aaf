/// The live sound of one recording: 16 kHz, mono, signed 16-bit little-endian, in order.
///
/// The stream is unbounded and is finished by the microphone's stop, by its cancel and when the recorder is dropped
/// (C-08). One consumer reads it; a second may go on where the first left off, never beside it.
public struct AudioFeed: Sendable {
  public let frames: AsyncStream<[UInt8]>
  /// The same bytes, kept in a file as they arrive; nil where nothing is kept.
  public let recording: (any KeptRecording)?

  public init(frames: AsyncStream<[UInt8]>, recording: (any KeptRecording)? = nil) {
    self.frames = frames
    self.recording = recording
  }
}
