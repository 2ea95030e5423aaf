/// The microphone, as the session sees it (C-01…C-05).
public protocol MicCaptureProtocol: Sendable {
  /// Opens the device and returns its live feed once real frames arrive (C-01). Every captured byte is appended to
  /// `recording`, then put on the feed.
  ///
  /// Throws `CancellationError` when its task was cancelled, with nothing left open (C-10); otherwise a `BlurtError` or
  /// an `UnderlyingError`.
  func start(keepingIn recording: (any KeptRecording)?) async throws -> AudioFeed
  /// Ends the capture, finishes the feed and returns the number of bytes captured; 0 if nothing was running (C-02).
  func stop() async throws -> Int
  /// Discards the capture at once (C-03).
  func cancelCapture() async throws
  /// The level meter, 0…1. An empty, finished stream where there is none (C-04).
  var levels: AsyncStream<Float> { get }
  /// Pays for set-up early. Never opens the device (C-05).
  func warmUp() async
}

extension MicCaptureProtocol {
  public func cancelCapture() async throws { _ = try await stop() }

  public var levels: AsyncStream<Float> { AsyncStream { $0.finish() } }

  public func warmUp() async {}
}
