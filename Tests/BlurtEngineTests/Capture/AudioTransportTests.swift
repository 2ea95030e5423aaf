import BlurtEngine
import Testing

@Suite struct AudioTransportTests {
  @Test("C-17 C-21 Bluetooth may take 2,500 ms", arguments: [AudioTransport.bluetooth, .bluetoothLE])
  func bluetooth(transport: AudioTransport) { #expect(transport.livenessCap == .milliseconds(2_500)) }

  @Test(
    "C-17 C-22 what sits in or on the machine may take 300 ms",
    arguments: [AudioTransport.builtIn, .usb, .pci, .fireWire, .thunderbolt, .displayPort, .hdmi])
  func local(transport: AudioTransport) { #expect(transport.livenessCap == .milliseconds(300)) }

  @Test("C-17 C-23 what cannot be read may take 1,000 ms", arguments: [AudioTransport.virtual, .aggregate, .unknown])
  func unknown(transport: AudioTransport) { #expect(transport.livenessCap == .milliseconds(1_000)) }

  @Test("C-29 only Bluetooth has a tail, of 220 ms", arguments: AudioTransport.allCases)
  func tail(transport: AudioTransport) {
    let isBluetooth = transport == .bluetooth || transport == .bluetoothLE
    #expect(transport.tail == (isBluetooth ? .milliseconds(220) : .zero))
  }
}
