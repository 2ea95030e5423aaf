package import BlurtEngine

/// The source of a sound server that our stream records from, as the server describes it.
package struct ServerSource: Sendable, Hashable {
  /// The server's own name for it.
  package let name: String
  /// The name for people.
  package let description: String
  /// It is muted in the server, or its volume is zero.
  package let isMuted: Bool
  /// It repeats what an output plays, and hears nobody.
  package let isMonitor: Bool
  /// The properties `device.bus`, `device.api` and `device.string`, where they are set.
  package let properties: [String: String]

  /// The source that a PCM's name asks of the server, as `pulse:DEVICE=NAME` or `pulse:NAME`; nil where it asks for none.
  package static func name(inPCM pcm: String) -> String? {
    guard pcm.hasPrefix("pulse:") else { return nil }
    var rest = pcm.dropFirst("pulse:".count)
    if rest.hasPrefix("DEVICE=") { rest = rest.dropFirst("DEVICE=".count) }
    return rest.isEmpty ? nil : String(rest)
  }

  /// What can be honestly told of how it is attached; nil for everything else behind a server.
  ///
  /// C-21: a Bluetooth headset must be known as one, whatever stands between. A local card behind a server keeps the
  /// server's second (C-23): the server may have to wake the card first.
  package var transport: AudioTransport? {
    if properties["device.bus"] == "bluetooth" { return .bluetooth }
    if let api = properties["device.api"], api == "bluez" || api == "bluez5" { return .bluetooth }
    if name.hasPrefix("bluez_input.") || name.hasPrefix("bluez_source.") { return .bluetooth }
    return isMonitor ? .virtual : nil
  }
}
