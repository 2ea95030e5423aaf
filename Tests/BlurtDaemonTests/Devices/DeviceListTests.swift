import BlurtCapture
import BlurtContract
import BlurtEngine
import Testing

@testable import BlurtDaemon

@Suite struct DeviceListTests {
  private static let devices = [
    CaptureDevice(name: "default", label: "Default", pcm: "default", isDefault: true),
    CaptureDevice(name: "pci:0000:00:1f.3,0", label: "Built-in", pcm: "hw:CARD=PCH,DEV=0", transport: .builtIn),
  ]

  private func entries(_ chosen: String, _ resolution: CaptureDevices.Resolution) -> [String] {
    DeviceList(devices: { Self.devices }, chosen: { chosen }, resolve: { _ in resolution }).entries().map { entry in
      entry.device + (entry.isChosen ? "*" : "") + (entry.isPresent ? "" : "?")
    }
  }

  @Test("C-07 the chosen device is marked, by its name or because it is the one that the name finds")
  func chosen() {
    #expect(entries("default", .pcm("default")) == ["default*", "pci:0000:00:1f.3,0"])
    #expect(entries("pci:0000:00:1f.3,0", .present(pcm: "hw:CARD=PCH,DEV=0")) == ["default", "pci:0000:00:1f.3,0*"])
    #expect(entries("card:PCH,0", .present(pcm: "hw:CARD=PCH,DEV=0")) == ["default", "pci:0000:00:1f.3,0*"])
  }

  @Test("C-07 a chosen device that is away, and a PCM of the user's own, come last")
  func others() {
    #expect(entries("usb:1:2@p,0", .absent) == ["default", "pci:0000:00:1f.3,0", "usb:1:2@p,0*?"])
    #expect(entries("studio", .pcm("studio")) == ["default", "pci:0000:00:1f.3,0", "studio*"])
  }

  @Test("C-21 the sources of a sound server have its names, transports and monitors")
  func sources() {
    let answer = """
      [{"index":1,"name":"alsa_output.pci.monitor","description":"Monitor of Speakers","properties":{"device.class":"monitor"}},
       {"index":2,"name":"alsa_input.usb-Blue_A1-00.mono","description":"Blue","properties":{"device.bus":"usb"}},
       {"index":3,"name":"bluez_input.00_11.0","description":"Headset","properties":{"device.api":"bluez"}},
       {"index":4,"name":"a,b","description":"no name for ALSA"}, {"index":5}, 7]
      """
    let devices = SoundServerSources.read(Array(answer.utf8))
    #expect(
      devices.map(\.name) == [
        "pulse:DEVICE=alsa_output.pci.monitor", "pulse:DEVICE=alsa_input.usb-Blue_A1-00.mono",
        "pulse:DEVICE=bluez_input.00_11.0",
      ])
    #expect(devices.map(\.transport) == [.virtual, .usb, .bluetooth])
    #expect(devices.map(\.isMonitor) == [true, false, false])
    #expect(devices.map(\.label) == ["Monitor of Speakers", "Blue", "Headset"])
    for broken in ["", "{", "{}", "[1]", "Failure: Connection refused"] {
      #expect(SoundServerSources.read(Array(broken.utf8)) == [])
    }
  }
}
