internal import BlurtEngine
internal import FoundationEssentials
internal import Glibc

/// The capture devices of the sound cards, as the kernel lists them. Nothing is opened.
///
/// A card is known by what it is and where it sits, so that its name outlives re-plugging and another order (B-101).
struct SoundCards: Sendable {
  /// Where the kernel lists its cards and their devices; given so that tests need no sound card.
  var procPath = "/proc/asound"
  var classPath = "/sys/class/sound"

  /// One capture device of a card.
  struct Device: Sendable, Hashable {
    let name: CaptureDeviceName
    /// The card's id of now, for ALSA.
    let cardID: String
    let label: String
    let transport: AudioTransport

    /// The ALSA PCM. By the id, not the number: a card that is plugged in meanwhile changes nothing.
    var pcm: String { "hw:CARD=\(cardID),DEV=\(name.device)" }
  }

  /// In the order of the cards.
  func captureDevices() -> [Device] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: classPath)) ?? []
    let found = entries.compactMap(Self.captureDevice).sorted { ($0.card, $0.device) < ($1.card, $1.device) }
    return found.compactMap { card, device in
      guard let id = read("\(classPath)/card\(card)/id") else { return nil }
      let info = fields("\(procPath)/card\(card)/pcm\(device)c/info")
      let cardLabel = shortName(ofCard: card) ?? id
      let part = info["name"] ?? info["id"]
      let isNews = part.map { !cardLabel.contains($0) && $0 != "USB Audio" } ?? false
      return Device(
        name: CaptureDeviceName(card: identity(ofCard: card, id: id), device: device), cardID: id,
        label: isNews ? "\(cardLabel), \(part ?? "")" : cardLabel,
        transport: TransportProbe(cardsPath: "\(procPath)/cards", cardClassPath: classPath).transport(ofCard: card))
    }
  }

  /// Card and device of an entry such as `pcmC1D0c`.
  static func captureDevice(_ entry: String) -> (card: Int, device: Int)? {
    guard entry.hasPrefix("pcmC"), entry.hasSuffix("c") else { return nil }
    let numbers = entry.dropFirst(4).dropLast().split(separator: "D", omittingEmptySubsequences: false)
    guard numbers.count == 2, let card = Int(numbers[0]), let device = Int(numbers[1]) else { return nil }
    return (card, device)
  }

  private func identity(ofCard card: Int, id: String) -> CaptureDeviceName.Card {
    guard let path = realPath("\(classPath)/card\(card)/device") else { return .id(id) }
    let parts = path.split(separator: "/").map(String.init)
    // …/0000:00:14.0/usb1/1-2/1-2:1.0: the device of the interface has the numbers.
    if let place = parts.lastIndex(where: Self.isUSBDevice) {
      let folder = "/" + parts[...place].joined(separator: "/")
      if let vendor = read("\(folder)/idVendor"), let product = read("\(folder)/idProduct"),
        let root = parts.firstIndex(where: { $0.hasPrefix("usb") }), root > 0
      {
        // Without the bus number, which follows the order in which controllers were found.
        let sockets = parts[place].split(separator: "-", maxSplits: 1).last.map(String.init) ?? parts[place]
        return .usb(
          model: "\(vendor):\(product)", serial: read("\(folder)/serial").map(Self.plain),
          port: "\(parts[root - 1])-\(sockets)")
      }
    }
    if realPath("\(classPath)/card\(card)/device/subsystem")?.hasSuffix("/pci") == true, let address = parts.last {
      return .pci(address: address)
    }
    return .id(id)
  }

  /// `1-2` or `3-1.4`, not `1-2:1.0`.
  private static func isUSBDevice(_ part: String) -> Bool {
    let halves = part.split(separator: "-", omittingEmptySubsequences: false)
    return halves.count == 2 && Int(halves[0]) != nil && !halves[1].isEmpty
      && halves[1].allSatisfy { $0.isNumber || $0 == "." }
  }

  /// A serial number as a part of a name: letters, digits, dot and hyphen.
  private static func plain(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "_" })
  }

  /// `HDA Intel PCH` of ` 1 [PCH            ]: HDA-Intel - HDA Intel PCH`.
  private func shortName(ofCard card: Int) -> String? {
    guard let text = try? String(contentsOfFile: "\(procPath)/cards", encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") {
      guard let number = line.split(separator: " ").first, Int(number) == card,
        let head = line.firstRange(of: "]: ")
      else { continue }
      let rest = line[head.upperBound...]
      return (rest.firstRange(of: " - ").map { String(rest[$0.upperBound...]) })?.trimmedNonEmpty
    }
    return nil
  }

  private func fields(_ path: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...]).trimmedNonEmpty
    }
    return fields
  }

  private func read(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmedNonEmpty
  }

  private func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
