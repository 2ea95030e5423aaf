import BlurtEngine
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtCapture

@Suite struct TransportProbeTests {
  private let cards = """
     0 [PCH            ]: HDA-Intel - HDA Intel PCH
                          HDA Intel PCH at 0xf7d10000 irq 131
     1 [Microphone     ]: USB-Audio - Blue Microphones
                          Blue Microphones at usb-0000:00:14.0-2, full speed
     2 [sofsoundwire   ]: sof-soundwire - sof-soundwire
                          Intel Soundwire SOF
     3 [Loopback       ]: Loopback - Loopback
    10 [Dice           ]: DICE - Saffire Pro
    """

  @Test(
    "C-22 C-23 the driver of a card is read from the kernel's list, by its number",
    arguments: [(0, "HDA-Intel"), (1, "USB-Audio"), (2, "sof-soundwire"), (3, "Loopback"), (10, "DICE"), (4, nil)]
      as [(Int, String?)])
  func driver(card: Int, expected: String?) { #expect(TransportProbe.driver(ofCard: card, in: cards) == expected) }

  @Test(
    "C-21 a name of BlueALSA or of a server's Bluetooth node is Bluetooth",
    arguments: [
      "bluealsa", "bluealsa:DEV=00:11:22:33:44:55,PROFILE=sco", "pulse:bluez_input.00_11",
      "pipewire:NODE=bluez_source.1",
    ])
  func bluetoothNames(name: String) { #expect(TransportProbe.transport(ofName: name) == .bluetooth) }

  @Test("C-23 other names say nothing, but for the null device and monitors")
  func otherNames() {
    #expect(TransportProbe.transport(ofName: "default") == nil)
    #expect(TransportProbe.transport(ofName: "hw:CARD=PCH") == nil)
    #expect(TransportProbe.transport(ofName: "null") == .virtual)
    #expect(TransportProbe.transport(ofName: "pulse:rig.monitor") == .virtual)
  }

  @Test("C-21 C-22 C-23 driver first, bus second, else unknown")
  func cardLookup() throws {
    let root = "/tmp/blurt-probe-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (card, bus) in [(0, "usb"), (10, "firewire"), (11, "bluetooth"), (12, "platform")] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/class/card\(card)/device", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(root)/class/card\(card)/device/subsystem", withDestinationPath: "../../../../bus/\(bus)")
    }
    try Data(cards.utf8).write(to: URL(filePath: "\(root)/cards"))
    let probe = TransportProbe(cardsPath: "\(root)/cards", cardClassPath: "\(root)/class")
    #expect(probe.transport(ofCard: 0) == .builtIn)
    #expect(probe.transport(ofCard: 1) == .usb)
    #expect(probe.transport(ofCard: 2) == .builtIn)
    #expect(probe.transport(ofCard: 3) == .virtual)
    #expect(probe.transport(ofCard: 10) == .fireWire)
    #expect(probe.transport(ofCard: 11) == .bluetooth)
    #expect(probe.transport(ofCard: 12) == .unknown)
    #expect(probe.transport(ofCard: 13) == .unknown)
  }

  @Test("C-07 a PCM's name says which source of the server is wanted, where it names one")
  func wantedSource() {
    #expect(ServerSource.name(inPCM: "pulse:DEVICE=alsa_input.usb-mic") == "alsa_input.usb-mic")
    #expect(ServerSource.name(inPCM: "pulse:bluez_input.00_11") == "bluez_input.00_11")
    for other in ["pulse", "pulse:", "pulse:DEVICE=", "default", "pipewire", "hw:0,0"] {
      #expect(ServerSource.name(inPCM: other) == nil, "\(other)")
    }
  }

  @Test(
    "C-21 C-23 what a sound server says of its source: Bluetooth by bus, by interface or by name; a monitor is virtual; the rest is the server's"
  )
  func serverSources() {
    func transport(_ name: String, _ properties: [String: String] = [:], isMonitor: Bool = false) -> AudioTransport? {
      ServerSource(name: name, description: name, isMuted: false, isMonitor: isMonitor, properties: properties)
        .transport
    }
    #expect(transport("headset", ["device.bus": "bluetooth"]) == .bluetooth)
    #expect(transport("headset", ["device.api": "bluez5"]) == .bluetooth)
    #expect(transport("bluez_input.00_11_22.0") == .bluetooth)
    #expect(transport("bluez_source.00_11_22.handsfree") == .bluetooth)
    #expect(transport("alsa_output.pci.monitor", isMonitor: true) == .virtual)
    #expect(transport("alsa_input.usb-mic", ["device.bus": "usb", "device.api": "alsa"]) == nil)
  }
}
