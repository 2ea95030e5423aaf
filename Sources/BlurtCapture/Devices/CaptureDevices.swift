internal import BlurtEngine

/// Which microphones there are, and which one a name means.
package struct CaptureDevices: Sendable {
  /// What a chosen name is at this moment.
  package enum Resolution: Sendable, Hashable {
    /// A device that is there, as this ALSA PCM.
    case present(pcm: String)
    /// The name of a device that is not there now.
    case absent
    /// An ALSA PCM, which only an attempt to open it can tell about.
    case pcm(String)
  }

  private let cards: SoundCards

  package init() { self.init(cards: SoundCards()) }

  init(cards: SoundCards) { self.cards = cards }

  /// Looks a chosen name up among the devices of now. Reads a few small files of the kernel where it is a stable name,
  /// and nothing where it is a PCM.
  package func resolve(_ chosen: String) -> Resolution {
    guard let name = CaptureDeviceName(chosen) else { return .pcm(chosen) }
    let present = cards.captureDevices()
    guard let found = name.find(in: present.map(\.name)), let device = present.first(where: { $0.name == found }) else {
      return .absent
    }
    return .present(pcm: device.pcm)
  }

  /// The ALSA PCM to open for a chosen name. An absent device keeps its name, which no PCM has: to open it fails as
  /// missing, and the press takes the default one (C-07).
  package func pcmName(of chosen: String) -> String {
    switch resolve(chosen) {
    case .present(let pcm): pcm
    case .absent: chosen
    case .pcm(let name): name
    }
  }

  /// Everything that can be recorded from: the default, what ALSA's configuration offers, the devices of the cards.
  ///
  /// Blocks on libasound's configuration: call on a `WorkerThread`.
  package func list() -> [CaptureDevice] {
    let hints = PCMHints.read()
    // ALSA's own words for it say how it is reached, not what it is.
    let standard = CaptureDevice(
      name: MicDeviceStore.systemDefault, label: "The system's default", pcm: MicDeviceStore.systemDefault,
      isDefault: true)
    let others = hints.filter { $0.name != MicDeviceStore.systemDefault }.map { hint in
      CaptureDevice(
        name: hint.name, label: hint.label, pcm: hint.name,
        transport: TransportProbe.transport(ofName: hint.name) ?? .unknown, isMonitor: Self.isMonitor(hint.name))
    }
    let cards = cards.captureDevices().map {
      CaptureDevice(
        name: "\($0.name)", label: $0.label, pcm: $0.pcm, transport: $0.transport,
        // The other end of a loopback is what is played into it.
        isMonitor: $0.cardID.hasPrefix("Loopback"))
    }
    return [standard] + others + cards
  }

  /// Whether a PCM records what a sound server plays, by the name of its source.
  package static func isMonitor(_ name: String) -> Bool { name.lowercased().hasSuffix(".monitor") }
}
