import BlurtEngine
import Glibc
import Testing

@testable import BlurtCapture

@Suite struct CaptureDeviceTests {
  private func name(_ text: String) throws -> CaptureDeviceName { try #require(CaptureDeviceName(text), "\(text)") }

  @Test(
    "Y-33 a stable name reads as it is written",
    arguments: [
      "usb:0d8c:0014@0000:00:14.0-2,0", "usb:0d8c:0014:A1_B@0000:00:14.0-2.4,1", "pci:0000:00:1f.3,0",
      "card:Loopback,1",
    ])
  func names(text: String) throws { #expect(try name(text).description == text) }

  @Test(
    "C-07 an ALSA PCM is no stable name",
    arguments: [
      "", "default", "hw:CARD=PCH,DEV=0", "hw:1,0", "plughw:1", "pulse:DEVICE=a", "usb:,0", "usb:0d8c@x,0", "card:PCH",
      "card:PCH,-1", "card:,0", "usb:0d8c:0014@,0", "bluealsa:DEV=00:11:22:33:44:55,PROFILE=sco", "rig:FILE=/a,ZEROS=0",
    ])
  func pcms(text: String) { #expect(CaptureDeviceName(text) == nil) }

  @Test("Y-33 cards are known by serial number or port, by their address, or by their id")
  func listing() throws {
    let fake = FakeCards()
    try fake.add(
      0, id: "PCH", driver: "HDA-Intel", name: "HDA Intel PCH", at: "pci0000:00/0000:00:1f.3", bus: "pci",
      captures: [0: "ALC256 Analog", 2: "ALC256 Alt Analog"])
    try fake.addUSB(1, id: "Device", name: "USB Audio Device", port: "1-2", model: "0d8c:0014")
    try fake.addUSB(2, id: "Snowball", name: "Blue Snowball", port: "1-4.1", model: "0d8c:0005", serial: "A,1 @x")
    try fake.add(
      3, id: "Loopback", driver: "Loopback", name: "Loopback", at: "platform/snd_aloop.0", bus: "platform",
      captures: [0: "Loopback PCM"])
    try fake.add(
      10, id: "HDMI", driver: "HDA-Intel", name: "HDA NVidia", at: "pci0000:00/0000:01:00.1", bus: "pci", captures: [:])
    let devices = fake.cards.captureDevices()
    #expect(
      devices.map { "\($0.name)" } == [
        "pci:0000:00:1f.3,0", "pci:0000:00:1f.3,2", "usb:0d8c:0014@0000:00:14.0-2,0",
        "usb:0d8c:0005:A_1__x@0000:00:14.0-4.1,0", "card:Loopback,0",
      ])
    #expect(
      devices.map(\.pcm) == [
        "hw:CARD=PCH,DEV=0", "hw:CARD=PCH,DEV=2", "hw:CARD=Device,DEV=0", "hw:CARD=Snowball,DEV=0",
        "hw:CARD=Loopback,DEV=0",
      ])
    #expect(
      devices.map(\.label) == [
        "HDA Intel PCH, ALC256 Analog", "HDA Intel PCH, ALC256 Alt Analog", "USB Audio Device", "Blue Snowball",
        "Loopback, Loopback PCM",
      ])
    #expect(devices.map(\.transport) == [.builtIn, .builtIn, .usb, .usb, .virtual])
    for device in devices { #expect(CaptureDeviceName("\(device.name)") == device.name) }
    #expect(SoundCards(procPath: "/nonexistent", classPath: "/nonexistent").captureDevices() == [])
  }

  @Test("B-101 Y-33 a chosen card is found again when cards have changed their order, ids and ports")
  func reordered() throws {
    let before = FakeCards()
    try before.addUSB(0, id: "Device", name: "USB Audio Device", port: "1-2", model: "0d8c:0014", serial: "A1")
    try before.addUSB(1, id: "Device_1", name: "USB Audio Device", port: "1-3", model: "0d8c:0014", serial: "B2")
    let chosen = "\(before.cards.captureDevices()[1].name)"
    let after = FakeCards()
    try after.addUSB(0, id: "Device", name: "USB Audio Device", port: "2-1", model: "0d8c:0014", serial: "B2")
    try after.addUSB(1, id: "Device_1", name: "USB Audio Device", port: "1-3", model: "0d8c:0014", serial: "A1")
    #expect(CaptureDevices(cards: before.cards).resolve(chosen) == .present(pcm: "hw:CARD=Device_1,DEV=0"))
    #expect(CaptureDevices(cards: after.cards).resolve(chosen) == .present(pcm: "hw:CARD=Device,DEV=0"))
  }

  @Test("B-101 C-07 another device is never taken for the chosen one; what is absent keeps its name for the press")
  func absent() throws {
    let fake = FakeCards()
    try fake.addUSB(0, id: "Device", name: "USB Audio Device", port: "1-2", model: "0d8c:0014", serial: "A1")
    try fake.addUSB(1, id: "Mic", name: "Mic", port: "1-3", model: "1111:2222")
    try fake.addUSB(2, id: "Mic_1", name: "Mic", port: "1-4", model: "1111:2222")
    try fake.add(
      3, id: "Generic", driver: "HDA-Intel", name: "HD-Audio Generic", at: "pci0000:00/0000:05:00.6", bus: "pci")
    let devices = CaptureDevices(cards: fake.cards)
    for chosen in [
      // Another serial number, another model, another address, another device of the card, an id that is not there.
      "usb:0d8c:0014:B2@0000:00:14.0-2,0", "usb:0d8c:0015:A1@0000:00:14.0-2,0", "pci:0000:05:00.7,0",
      "usb:0d8c:0014:A1@0000:00:14.0-2,1", "card:PCH,0",
      // Two of the model, neither of them in that port.
      "usb:1111:2222@0000:00:14.0-9,0",
    ] {
      #expect(devices.resolve(chosen) == .absent, "\(chosen)")
      #expect(devices.pcmName(of: chosen) == chosen)
    }
    #expect(devices.resolve("usb:1111:2222@0000:00:14.0-4,0") == .present(pcm: "hw:CARD=Mic_1,DEV=0"))
    #expect(devices.resolve("usb:0d8c:0014:A1@0000:00:14.0-7,0") == .present(pcm: "hw:CARD=Device,DEV=0"))
    #expect(devices.pcmName(of: "usb:0d8c:0014:A1@0000:00:14.0-7,0") == "hw:CARD=Device,DEV=0")
    #expect(devices.resolve("plughw:1") == .pcm("plughw:1"))
    #expect(devices.pcmName(of: "default") == "default")
  }

  @Test("Y-33 two devices with the same serial number are told apart by their port")
  func sameSerial() throws {
    let fake = FakeCards()
    try fake.addUSB(0, id: "Mic", name: "Mic", port: "1-3", model: "1111:2222", serial: "0000")
    try fake.addUSB(1, id: "Mic_1", name: "Mic", port: "1-4", model: "1111:2222", serial: "0000")
    let devices = CaptureDevices(cards: fake.cards)
    #expect(devices.resolve("usb:1111:2222:0000@0000:00:14.0-4,0") == .present(pcm: "hw:CARD=Mic_1,DEV=0"))
    #expect(devices.resolve("usb:1111:2222:0000@0000:00:14.0-5,0") == .absent)
  }

  @Test("C-07 a source that the sound server does not have is missing, as a device is; a server that fails is not")
  func absentSource() {
    func kind(_ detail: String) -> ALSAError.Kind {
      ALSAError(-EIO, call: "snd_pcm_hw_params", pcm: "pulse:DEVICE=headset", detail: detail).kind
    }
    #expect(kind("PulseAudio: Unable to create stream: No such entity\n") == .missing)
    #expect(kind("PulseAudio: Unable to create stream: Timeout\n") == .failed)
    #expect(kind("") == .failed)
  }

  @Test("C-06 an entry of the kernel's list is a capture device or none")
  func entries() {
    #expect(SoundCards.captureDevice("pcmC1D0c")! == (1, 0))
    #expect(SoundCards.captureDevice("pcmC10D12c")! == (10, 12))
    for other in ["pcmC1D0p", "controlC1", "card1", "pcmCxD0c", "pcmC1c", "pcmc", "c"] {
      #expect(SoundCards.captureDevice(other) == nil, "\(other)")
    }
  }

  @Test("Y-33 converters and PCMs of a card are no microphones of their own; a server and the user's own are")
  func hints() {
    for name in ["default", "pulse", "pipewire", "bluealsa:DEV=00:11,PROFILE=sco", "studio"] {
      #expect(PCMHints.isOwn(name), "\(name)")
    }
    for name in ["null", "samplerate", "upmix", "hw:CARD=PCH,DEV=0", "sysdefault:CARD=PCH", "dsnoop:CARD=PCH,DEV=0"] {
      #expect(!PCMHints.isOwn(name), "\(name)")
    }
  }

  @Test("Y-33 the list begins with the default, and monitors are marked")
  func list() throws {
    let fake = FakeCards()
    try fake.add(
      0, id: "Loopback", driver: "Loopback", name: "Loopback", at: "platform/snd_aloop.0", bus: "platform")
    let list = CaptureDevices(cards: fake.cards).list()
    #expect(list.first?.name == "default" && list.first?.isDefault == true)
    #expect(list.filter(\.isDefault).count == 1)
    #expect(Set(list.map(\.name)).count == list.count)
    #expect(list.last?.name == "card:Loopback,0" && list.last?.isMonitor == true)
    #expect(CaptureDevices.isMonitor("pulse:DEVICE=alsa_output.pci.monitor"))
    #expect(!CaptureDevices.isMonitor("pulse:DEVICE=alsa_input.pci"))
  }
}
