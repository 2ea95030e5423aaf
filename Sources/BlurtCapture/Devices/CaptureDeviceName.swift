/// The stable name of a capture device of a sound card: never a card's number, which changes with the order of plugging.
///
/// Written `usb:VENDOR:PRODUCT[:SERIAL]@PORT,DEVICE`, `pci:ADDRESS,DEVICE` or `card:ID,DEVICE`.
package struct CaptureDeviceName: Sendable, Hashable, CustomStringConvertible {
  /// What tells a card from others.
  package enum Card: Sendable, Hashable {
    /// The model, the serial number where the device has one, and the port: controller and path of sockets.
    case usb(model: String, serial: String?, port: String)
    /// The address on the bus.
    case pci(address: String)
    /// The card's id, where nothing else is known.
    case id(String)
  }

  package let card: Card
  /// The PCM device of the card.
  package let device: Int

  package init(card: Card, device: Int) {
    self.card = card
    self.device = device
  }

  /// Reads a name; nil for anything else, such as an ALSA PCM.
  package init?(_ text: String) {
    guard let comma = text.lastIndex(of: ","), let device = Int(text[text.index(after: comma)...]), device >= 0,
      let colon = text.firstIndex(of: ":"), colon < comma
    else { return nil }
    let rest = text[text.index(after: colon)..<comma]
    guard !rest.isEmpty else { return nil }
    switch text[..<colon] {
    case "usb":
      let halves = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = halves[0].split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard halves.count == 2, parts.count >= 2, !halves[1].isEmpty else { return nil }
      card = .usb(
        model: "\(parts[0]):\(parts[1])", serial: parts.count > 2 ? String(parts[2]) : nil, port: String(halves[1]))
    case "pci": card = .pci(address: String(rest))
    case "card": card = .id(String(rest))
    default: return nil
    }
    self.device = device
  }

  package var description: String {
    switch card {
    case .usb(let model, let serial, let port): "usb:\(model)\(serial.map { ":" + $0 } ?? "")@\(port),\(device)"
    case .pci(let address): "pci:\(address),\(device)"
    case .id(let id): "card:\(id),\(device)"
    }
  }

  /// The device of that name among those that are there; nil where it is absent, or could be one of several.
  ///
  /// A serial number counts wherever the device is plugged in. Without one the port decides, and a device of the model in
  /// another port is taken only where it is the only one.
  package func find(in names: [CaptureDeviceName]) -> CaptureDeviceName? {
    let names = names.filter { $0.device == device }
    if let exact = names.first(where: { $0.card == card }) { return exact }
    guard case .usb(let model, let serial, let port) = card else { return nil }
    let alike = names.filter {
      guard case .usb(model, let other, _) = $0.card else { return false }
      return other == serial
    }
    if alike.count == 1 { return alike[0] }
    return alike.first {
      guard case .usb(_, _, port) = $0.card else { return false }
      return true
    }
  }
}
