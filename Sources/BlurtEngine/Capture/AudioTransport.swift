/// How a microphone is attached to the machine, as far as that can be known.
///
/// It decides how long the microphone may take to come up (C-17) and whether its sound lags behind at the end (C-29).
/// The raw value is what logs carry.
public enum AudioTransport: String, Sendable, Hashable, CaseIterable {
  case bluetooth
  case bluetoothLE
  case builtIn
  case usb
  case pci
  case fireWire
  case thunderbolt
  case displayPort
  case hdmi
  /// No hardware of its own: a loopback, a null device, a monitor.
  case virtual
  /// Several devices behind one name.
  case aggregate
  /// A sound server's default whose backing card cannot be read, or a name that says nothing.
  case unknown

  /// C-17: the longest wait for a live frame, counted from the moment the device started.
  public var livenessCap: Duration {
    switch self {
    // C-21: opening may switch the headset to its hands-free profile, which takes one to two seconds.
    case .bluetooth, .bluetoothLE: .milliseconds(2_500)
    // C-22
    case .builtIn, .usb, .pci, .fireWire, .thunderbolt, .displayPort, .hdmi: .milliseconds(300)
    // C-23
    case .virtual, .aggregate, .unknown: .milliseconds(1_000)
    }
  }

  /// C-29: how long capture goes on after a stop, because the radio link delivers late.
  public var tail: Duration {
    switch self {
    case .bluetooth, .bluetoothLE: .milliseconds(220)
    case .builtIn, .usb, .pci, .fireWire, .thunderbolt, .displayPort, .hdmi, .virtual, .aggregate, .unknown: .zero
    }
  }
}
