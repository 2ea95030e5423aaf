import FoundationEssentials
import Glibc

@testable import BlurtCapture

/// What a kernel would show of sound cards, in a folder.
final class FakeCards {
  private let root = "/tmp/blurt-cards-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  private var list = ""

  var cards: SoundCards { SoundCards(procPath: "\(root)/proc", classPath: "\(root)/class") }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// A card whose device has that place under `/sys/devices`. `captures`: its PCM devices, with their names.
  func add(
    _ number: Int, id: String, driver: String, name: String, at place: String, bus: String,
    captures: [Int: String] = [0: ""]
  ) throws {
    list += " \(number) [\(id.padding(15))]: \(driver) - \(name)\n                      \(name) at somewhere\n"
    try write(list, "proc/cards")
    try write(id + "\n", "devices/\(place)/sound/card\(number)/id")
    try folder("class")
    try folder("bus/\(bus)")
    try link("class/card\(number)", to: "\(root)/devices/\(place)/sound/card\(number)")
    try link("devices/\(place)/sound/card\(number)/device", to: "\(root)/devices/\(place)")
    try link("devices/\(place)/subsystem", to: "\(root)/bus/\(bus)")
    for (device, label) in captures {
      try link("class/pcmC\(number)D\(device)c", to: "\(root)/devices/\(place)/sound/card\(number)")
      try write(
        "card: \(number)\ndevice: \(device)\nid: \(label)\nname: \(label)\n", "proc/card\(number)/pcm\(device)c/info")
    }
    try link("class/pcmC\(number)D0p", to: "\(root)/devices/\(place)/sound/card\(number)")
  }

  /// A card on USB; `port` is such as `1-2`.
  func addUSB(_ number: Int, id: String, name: String, port: String, model: String, serial: String? = nil) throws {
    let device = "pci0000:00/0000:00:14.0/usb\(port.prefix(1))/\(port)"
    let (vendor, product) = (model.prefix(4), model.suffix(4))
    try write("\(vendor)\n", "devices/\(device)/idVendor")
    try write("\(product)\n", "devices/\(device)/idProduct")
    if let serial { try write("\(serial)\n", "devices/\(device)/serial") }
    try add(
      number, id: id, driver: "USB-Audio", name: name, at: "\(device)/\(port):1.0", bus: "usb",
      captures: [0: "USB Audio"])
  }

  private func folder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: "\(root)/\(path)", withIntermediateDirectories: true)
  }

  private func write(_ text: String, _ path: String) throws {
    try folder(path.split(separator: "/").dropLast().joined(separator: "/"))
    try Data(text.utf8).write(to: URL(filePath: "\(root)/\(path)"))
  }

  private func link(_ path: String, to target: String) throws {
    guard !FileManager.default.fileExists(atPath: "\(root)/\(path)") else { return }
    try folder(path.split(separator: "/").dropLast().joined(separator: "/"))
    try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: target)
  }
}

extension String {
  fileprivate func padding(_ count: Int) -> String { self + String(repeating: " ", count: max(0, count - self.count)) }
}
