package import BlurtEngine

/// What a host may want to know about a capture besides its feed.
package enum CaptureNotice: Sendable, Hashable {
  /// C-20: how bringing the microphone up went, for success and failure alike.
  case broughtUp(BringUpReport)
  /// C-07: the chosen device is absent, so this press uses the default one. The choice is kept.
  case chosenDeviceAbsent(String)
  /// The sound server records from another source now: the one before is gone, or somebody chose another. It goes on.
  case sourceChanged(from: ServerSource, to: ServerSource)
  /// Capture fell behind and lost some sound; it goes on. The count is that of this recording (C-28).
  case overrun(count: Int)
  /// The device was suspended and runs again.
  case resumed
  /// The device went away while recording. The feed has ended; what was captured is kept (B-100).
  case deviceLost(UnderlyingError, byteCount: Int)
  /// The device did not close in time after a stop; it closes when the sound server answers.
  case closeDelayed
}

/// C-20: one attempt to bring a microphone up.
package struct BringUpReport: Sendable, Hashable {
  package let pcm: String
  package let transport: AudioTransport
  /// From the start of the device to the verdict.
  package let waited: Duration
  /// The loudest power heard by then.
  package let powerDB: Double
  package let isLive: Bool
}
