package import BlurtCapture
internal import BlurtContract
internal import BlurtEngine

/// The microphones that a sound server knows, as `pactl` tells them: Bluetooth headsets are nowhere else.
///
/// Their names are the server's own, which are made of the bus path or the serial number, so they are stable as well.
package enum SoundServerSources {
  /// What to ask `pactl`.
  package static let arguments = ["--format=json", "list", "sources"]

  /// Reads the answer. What cannot be read is no source.
  package static func read(_ output: [UInt8]) -> [CaptureDevice] {
    guard case .array(let sources)? = try? JSONReader.read(output) else { return [] }
    return sources.compactMap { source in
      guard let source = source.object, let name = source["name"]?.string, !name.isEmpty,
        !name.contains(where: { "'\",{}\n".contains($0) })
      else { return nil }
      let properties = source["properties"]?.object
      let description = source["description"]?.string ?? name
      return CaptureDevice(
        name: "pulse:DEVICE=\(name)", label: description, pcm: "pulse:DEVICE=\(name)",
        transport: transport(name, properties),
        isMonitor: CaptureDevices.isMonitor(name) || properties?["device.class"]?.string == "monitor")
    }
  }

  /// Whether a chosen PCM names a source that is not among those that the server has. A server without sources has not
  /// answered.
  package static func isMissing(_ chosen: String, in sources: [CaptureDevice]) -> Bool {
    guard let name = ServerSource.name(inPCM: chosen), !sources.isEmpty else { return false }
    return !sources.contains { ServerSource.name(inPCM: $0.pcm) == name }
  }

  private static func transport(_ name: String, _ properties: JSONObject?) -> AudioTransport {
    if properties?["device.class"]?.string == "monitor" || name.hasSuffix(".monitor") { return .virtual }
    switch properties?["device.bus"]?.string {
    case "bluetooth"?: return .bluetooth
    case "usb"?: return .usb
    case "pci"?: return .pci
    case "firewire"?: return .fireWire
    default: break
    }
    if properties?["device.api"]?.string == "bluez" || name.hasPrefix("bluez") { return .bluetooth }
    return properties?["device.class"]?.string == "abstract" ? .virtual : .unknown
  }
}
