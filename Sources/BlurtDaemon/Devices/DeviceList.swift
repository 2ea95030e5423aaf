package import BlurtCapture
package import BlurtContract
internal import BlurtEngine

/// The answer to `devices`: what there is, with what is chosen among it.
package struct DeviceList: Sendable {
  private let devices: @Sendable () -> [CaptureDevice]
  private let chosen: @Sendable () -> String
  private let resolve: @Sendable (String) -> CaptureDevices.Resolution

  /// `devices` may block.
  package init(
    devices: @escaping @Sendable () -> [CaptureDevice], chosen: @escaping @Sendable () -> String,
    resolve: @escaping @Sendable (String) -> CaptureDevices.Resolution
  ) {
    self.devices = devices
    self.chosen = chosen
    self.resolve = resolve
  }

  /// The chosen one comes last where nothing in the list is it: a device that is away, or a PCM of the user's own.
  package func entries() -> [DeviceEntry] {
    let chosen = chosen()
    let resolution = resolve(chosen)
    var entries = devices().map { device in
      DeviceEntry(
        device: device.name, label: device.label, transport: device.transport.rawValue, pcm: device.pcm,
        isDefault: device.isDefault, isChosen: Self.isChosen(device, chosen, resolution), isMonitor: device.isMonitor)
    }
    guard !entries.contains(where: \.isChosen) else { return entries }
    switch resolution {
    case .absent:
      entries.append(
        DeviceEntry(
          device: chosen, label: "not connected", transport: AudioTransport.unknown.rawValue, isChosen: true,
          isPresent: false))
    case .present(let pcm), .pcm(let pcm):
      entries.append(
        DeviceEntry(
          device: chosen, label: "an ALSA PCM of your own", transport: AudioTransport.unknown.rawValue, pcm: pcm,
          isChosen: true, isMonitor: CaptureDevices.isMonitor(pcm)))
    }
    return entries
  }

  private static func isChosen(_ device: CaptureDevice, _ chosen: String, _ resolution: CaptureDevices.Resolution)
    -> Bool
  {
    if device.name == chosen { return true }
    if case .present(let pcm) = resolution { return device.pcm == pcm }
    return false
  }
}
