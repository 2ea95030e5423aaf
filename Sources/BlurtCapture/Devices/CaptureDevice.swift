package import BlurtEngine

/// Something that can be recorded from, as a list shows it.
package struct CaptureDevice: Sendable, Hashable {
  /// What `BlurtMicDeviceUID` takes: the same after re-plugging and after cards have changed their order.
  package var name: String
  /// Words for people.
  package var label: String
  /// The ALSA PCM that it is now.
  package var pcm: String
  package var transport: AudioTransport
  /// It is what an unset setting means.
  package var isDefault: Bool
  /// It records what is played.
  package var isMonitor: Bool

  package init(
    name: String, label: String, pcm: String, transport: AudioTransport = .unknown, isDefault: Bool = false,
    isMonitor: Bool = false
  ) {
    self.name = name
    self.label = label
    self.pcm = pcm
    self.transport = transport
    self.isDefault = isDefault
    self.isMonitor = isMonitor
  }
}
