/// Something that can be recorded from, as `devices` lists it.
package struct DeviceEntry: Hashable, Sendable {
  /// What `BlurtMicDeviceUID` takes: the same after re-plugging and after cards have changed their order.
  package var device: String
  /// Words for people.
  package var label: String
  /// How it is attached: `usb`, `builtIn`, `pci`, `bluetooth`, `virtual`, `unknown` and others.
  package var transport: String
  /// The ALSA PCM that it is now; absent where it is not there.
  package var pcm: String?
  /// It is what an unset setting means.
  package var isDefault: Bool
  /// It is the one that is chosen.
  package var isChosen: Bool
  /// It records what is played, not a microphone.
  package var isMonitor: Bool
  /// It is there now. One that is not is listed only where it is chosen.
  package var isPresent: Bool

  package init(
    device: String, label: String, transport: String, pcm: String? = nil, isDefault: Bool = false,
    isChosen: Bool = false, isMonitor: Bool = false, isPresent: Bool = true
  ) {
    self.device = device
    self.label = label
    self.transport = transport
    self.pcm = pcm
    self.isDefault = isDefault
    self.isChosen = isChosen
    self.isMonitor = isMonitor
    self.isPresent = isPresent
  }

  var members: JSONObject {
    var members: JSONObject = [
      "device": .string(device), "label": .string(label), "transport": .string(transport),
      "isDefault": .bool(isDefault), "isChosen": .bool(isChosen), "isMonitor": .bool(isMonitor),
      "isPresent": .bool(isPresent),
    ]
    members.set("pcm", pcm)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      device: try fields.string("device") ?? "", label: try fields.string("label") ?? "",
      transport: try fields.string("transport") ?? "unknown", pcm: try fields.string("pcm"),
      isDefault: try fields.bool("isDefault") ?? false, isChosen: try fields.bool("isChosen") ?? false,
      isMonitor: try fields.bool("isMonitor") ?? false, isPresent: try fields.bool("isPresent") ?? true)
  }
}
