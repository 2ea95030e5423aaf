import BlurtContract
import BlurtTestSupport
import Testing

@testable import blurtctl

/// `devices` and `sounds`.
@Suite(.timeLimit(.minutes(1))) struct SoundVerbTests {
  private static let devices = [
    DeviceEntry(device: "default", label: "Default", transport: "unknown", pcm: "default", isDefault: true),
    DeviceEntry(
      device: "usb:0d8c:0014:A1@0000:00:14.0-2,0", label: "Snowball", transport: "usb", pcm: "hw:CARD=S,DEV=0",
      isChosen: true),
    DeviceEntry(
      device: "pulse:DEVICE=out.monitor", label: "Monitor of Speakers", transport: "virtual",
      pcm: "pulse:DEVICE=out.monitor", isMonitor: true),
    DeviceEntry(device: "pci:0000:00:1f.3,0", label: "Twin", transport: "builtIn", pcm: "hw:CARD=P,DEV=0"),
    DeviceEntry(device: "pci:0000:00:1f.3,2", label: "Twin", transport: "pci", pcm: "hw:CARD=P,DEV=2"),
  ]
  private static let sounds = [
    SoundEntry(pack: "none", label: "None", group: "", isChosen: false, isDefault: false, cues: []),
    SoundEntry(
      pack: "chime", label: "Chime", group: "Tones", isChosen: true, isDefault: true,
      cues: [
        .init(cue: "start", durationMilliseconds: 180, peakDBFS: -15.1, frequency: 880),
        .init(cue: "stop", durationMilliseconds: 180, peakDBFS: -15.1, frequency: 659.26),
      ]),
  ]

  private func with(_ body: (FakeDaemon) async throws -> Void) async throws {
    let daemon = try FakeDaemon(
      FakeDaemon.Script(
        settings: ["BlurtMicDeviceUID", "BlurtSoundPack"].map {
          SettingEntry(setting: $0, type: "string", value: .null, defaultValue: .null, isSet: false, summary: "")
        }, devices: Self.devices, sounds: Self.sounds))
    defer { daemon.stop() }
    try await body(daemon)
  }

  @Test("Y-33 devices has a line for each, its name under it, a star at the chosen one, and marks default and monitors")
  func listDevices() async throws {
    try await with { daemon in
      for line in ["devices", "devices list"] {
        #expect(
          await daemon.run(line).out == """
              Default              default
                default
            * Snowball             USB
                usb:0d8c:0014:A1@0000:00:14.0-2,0
              Monitor of Speakers  virtual, monitor, hears what is played
                pulse:DEVICE=out.monitor
              Twin                 built-in
                pci:0000:00:1f.3,0
              Twin                 built-in (PCI)
                pci:0000:00:1f.3,2
            The star marks the chosen one. Choose: blurtctl devices use NAME

            """)
      }
      let names = await daemon.run("devices list --names", terminal: false).out
      #expect(names == Self.devices.map { $0.device + "\n" }.joined())
      let json = await daemon.run("devices", terminal: false).out
      #expect(json.hasPrefix(#"{"ack":{"#) && json.contains(#""isMonitor":true"#))
    }
  }

  @Test("C-07 a chosen device that is away is shown as not connected, with its name")
  func absent() {
    let away = DeviceEntry(
      device: "usb:1:2@p,0", label: "not connected", transport: "unknown", isChosen: true, isPresent: false)
    #expect(DevicesVerb.text([away], width: 80).hasPrefix("* not connected\n    usb:1:2@p,0\nThe star"))
  }

  @Test("P-24 devices use stores the name, also where the label was given, and refuses what is not there or not clear")
  func use() async throws {
    try await with { daemon in
      let run = await daemon.run("devices use Snowball")
      #expect(run.status == .done && run.out == "Snowball is used from the next dictation on.\n")
      #expect(daemon.value("BlurtMicDeviceUID") == "usb:0d8c:0014:A1@0000:00:14.0-2,0")
      #expect(await daemon.run("devices use pci:0000:00:1f.3,2").status == .done)
      #expect(daemon.value("BlurtMicDeviceUID") == "pci:0000:00:1f.3,2")
      let twin = await daemon.run("devices use twin")
      #expect(twin.status == .nothingToActOn && twin.err.contains("Several devices"))
      let unknown = await daemon.run("devices use Trombone")
      #expect(unknown.status == .nothingToActOn && unknown.err.contains("There is no device \"Trombone\""))
      #expect(daemon.value("BlurtMicDeviceUID") == "pci:0000:00:1f.3,2")
    }
  }

  @Test("P-47 sounds has a row for each pack with its sounds in numbers, and a star at the chosen one")
  func listSounds() async throws {
    try await with { daemon in
      #expect(
        await daemon.run("sounds").out == """
            PACK          START                   STOP
            none   None   silent                  silent
          * chime  Chime  880 Hz, 180 ms, -15 dB  659 Hz, 180 ms, -15 dB
          The star marks the chosen one. Hear it: blurtctl sounds play

          """)
      #expect(await daemon.run("sounds list --names", terminal: false).out == "none\nchime\n")
      #expect(await daemon.run("sounds --json").out.contains(#""durationMs":180"#))
    }
  }

  @Test("P-12 sounds use stores the pack, and a refusal is told")
  func choose() async throws {
    try await with { daemon in
      let run = await daemon.run("sounds use chime")
      #expect(run.status == .done && daemon.value("BlurtSoundPack") == "chime")
      #expect(await daemon.run("sounds use refused").status == .failed)
    }
  }

  @Test("S-88 sounds play takes a pack, a cue, both or neither; a silent pack ends with 7")
  func play() async throws {
    try await with { daemon in
      let asked: [(String, ClientCommand.Action)] = [
        ("sounds play", .playSound(pack: nil, cue: nil)), ("sounds play chime", .playSound(pack: "chime", cue: nil)),
        ("sounds play stop", .playSound(pack: nil, cue: "stop")),
        ("sounds play soft start", .playSound(pack: "soft", cue: "start")),
      ]
      for (line, action) in asked {
        #expect(await daemon.run(line).status == .done)
        #expect(daemon.commands.last?.action == action, "\(line)")
      }
      #expect(await daemon.run("sounds play none").status == .nothingToActOn)
      #expect(await daemon.run("sounds play soft middle").status == .usage)
    }
  }
}
