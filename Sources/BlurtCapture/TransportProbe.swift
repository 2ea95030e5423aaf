internal import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// Recognises how a microphone is attached (C-21…C-23) from its PCM's name and from what the kernel says of its card.
struct TransportProbe: Sendable {
  /// Where the kernel lists its sound cards, and the devices behind them; given so that tests need no sound card.
  var cardsPath = "/proc/asound/cards"
  var cardClassPath = "/sys/class/sound"

  /// The transport of an open PCM.
  func transport(of pcm: borrowing PCMHandle) -> AudioTransport {
    if let byName = Self.transport(ofName: pcm.name) { return byName }
    if pcm.isNull { return .virtual }
    guard let card = pcm.cardNumber else { return .unknown }
    return transport(ofCard: card)
  }

  /// What the name alone says: BlueALSA's PCMs, a sound server's Bluetooth nodes, the null device.
  static func transport(ofName name: String) -> AudioTransport? {
    let name = name.lowercased()
    if name.hasPrefix("bluealsa") || name.contains("bluez") { return .bluetooth }
    if name == "null" { return .virtual }
    if name.hasSuffix(".monitor") { return .virtual }
    return nil
  }

  /// What the kernel says of a card: its driver first, then the bus its device sits on.
  func transport(ofCard card: Int) -> AudioTransport {
    if let cards = try? String(contentsOfFile: cardsPath, encoding: .utf8),
      let driver = Self.driver(ofCard: card, in: cards), let transport = Self.transport(ofDriver: driver)
    {
      return transport
    }
    if let bus = Self.lastComponent(ofLink: "\(cardClassPath)/card\(card)/device/subsystem") {
      return Self.transport(ofBus: bus)
    }
    return .unknown
  }

  /// The driver in a line such as ` 1 [PCH            ]: HDA-Intel - HDA Intel PCH`.
  static func driver(ofCard card: Int, in text: String) -> String? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard let number = fields.first, Int(number) == card, let colon = line.firstRange(of: "]: ") else { continue }
      let rest = line[colon.upperBound...]
      let driver = rest.firstRange(of: " - ").map { rest[..<$0.lowerBound] } ?? rest
      return driver.isEmpty ? nil : String(driver)
    }
    return nil
  }

  static func transport(ofDriver driver: String) -> AudioTransport? {
    let driver = driver.lowercased()
    if driver.hasPrefix("usb-audio") { return .usb }
    if driver.hasPrefix("hda-") || driver.hasPrefix("sof-") || driver.contains("soundwire") { return .builtIn }
    if driver == "loopback" || driver == "dummy" || driver == "aloop" { return .virtual }
    return nil
  }

  static func transport(ofBus bus: String) -> AudioTransport {
    switch bus {
    case "usb": .usb
    case "pci": .pci
    case "firewire": .fireWire
    case "thunderbolt": .thunderbolt
    case "soundwire", "hdaudio": .builtIn
    case "bluetooth": .bluetooth
    default: .unknown
    }
  }

  private static func lastComponent(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { readlink(path, $0, text.count) } ?? -1
      }
    }
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "/").last.map(String.init)
  }
}
