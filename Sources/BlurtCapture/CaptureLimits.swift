package import BlurtEngine

/// The times that bound a capture. Tests shorten them.
package struct CaptureLimits: Sendable {
  /// C-17: the longest wait for a live frame, by transport.
  package var livenessCap: @Sendable (AudioTransport) -> Duration = { $0.livenessCap }
  /// How long opening and starting may block, as they do while a sound server is stopped. Above the one to two
  /// seconds that a Bluetooth profile switch takes (C-24).
  package var openDeadline: Duration = .seconds(5)
  /// A running device that delivers no frame for that long is taken for lost (B-112).
  package var frozenAfter: Duration = .seconds(2)
  /// How long `stop` waits for the device to close. The feed has ended by then.
  package var closeGrace: Duration = .seconds(1)
  /// How long a new press waits for the device of the one before to close, before it opens its own.
  package var handOver: Duration = .milliseconds(300)
  /// So many captures may hang in a silent sound server before a press is refused at once.
  package var strandedLimit = 4

  package init() {}
}
