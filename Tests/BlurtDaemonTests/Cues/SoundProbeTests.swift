import BlurtCapture
import BlurtContract
import BlurtCues
import BlurtEngine
import Testing

@testable import BlurtDaemon

/// What `doctor` says of sounds, players and an absent microphone.
@Suite struct SoundProbeTests {
  private let chime = CueCatalogue.packs.defaultPack

  @Test("P-53 an output that cannot be opened is a warning with a remedy, and silence needs none")
  func sounds() async {
    let error = CueError(-2, call: "snd_pcm_open", pcm: "default")
    let chime = chime
    let missing = await DoctorProbe.sounds(pack: { chime }, open: { error }).look(false)
    #expect(missing.state == .warning && missing.remedy?.isEmpty == false)
    #expect(missing.message.contains("snd_pcm_open default"))
    #expect(await DoctorProbe.sounds(pack: { chime }, open: { nil }).look(false).state == .ok)
    #expect(await DoctorProbe.sounds(pack: { .silent }, open: { error }).look(false).state == .ok)
  }

  @Test("players are a warning only where they are to be paused and playerctl is missing")
  func media() async {
    #expect(await DoctorProbe.media(isOn: { false }, program: { nil }).look(false).state == .ok)
    #expect(await DoctorProbe.media(isOn: { true }, program: { "/usr/bin/playerctl" }).look(false).state == .ok)
    let missing = await DoctorProbe.media(isOn: { true }, program: { nil }).look(false)
    #expect(missing.state == .warning && missing.remedy == "sudo apt-get install playerctl")
  }

  @Test("C-07 a chosen microphone that is away is a warning that names it; it is not opened")
  func absent() async {
    let probe = DoctorProbe.microphone(
      device: { "usb:1:2@p,0" }, isBusy: { false },
      open: { _ in
        Issue.record("opened")
        return .opens
      },
      isAbsent: { $0 == "usb:1:2@p,0" },
      record: { MicrophoneTrial(device: $0, loudest: -23, byteCount: 32_000) })
    let check = await probe.look(true)
    #expect(check.state == .warning && check.message.contains("usb:1:2@p,0") && check.remedy != nil)
  }

  @Test(
    "C-07 P-82 a chosen source of a sound server that is gone is a warning that names it and what to do; never the default's trial",
    arguments: [false, true])
  func absentSource(mayRecord: Bool) async {
    let probe = DoctorProbe.microphone(
      device: { "pulse:DEVICE=headset" }, isBusy: { false }, open: { _ in .absent },
      record: { device in
        Issue.record("the default one was recorded from for \(device)")
        return MicrophoneTrial(device: device, loudest: -23, byteCount: 32_000)
      })
    let check = await probe.look(mayRecord)
    #expect(check.state == .warning && check.message.contains("pulse:DEVICE=headset"))
    #expect(check.message.contains("default") && check.remedy?.contains("blurtctl devices") == true)
  }

  @Test("C-07 a server's list tells whether a chosen source is missing; a server that did not answer tells nothing")
  func missingSource() {
    let sources = ["mic", "mic.monitor"].map {
      CaptureDevice(name: "pulse:DEVICE=\($0)", label: $0, pcm: "pulse:DEVICE=\($0)")
    }
    #expect(SoundServerSources.isMissing("pulse:DEVICE=headset", in: sources))
    #expect(SoundServerSources.isMissing("pulse:headset", in: sources))
    #expect(!SoundServerSources.isMissing("pulse:DEVICE=mic", in: sources))
    #expect(!SoundServerSources.isMissing("pulse:mic.monitor", in: sources))
    #expect(!SoundServerSources.isMissing("pulse:DEVICE=headset", in: []))
    for other in ["pulse", "default", "hw:0", "usb:1:2@p,0", "pulse:"] {
      #expect(!SoundServerSources.isMissing(other, in: sources), "\(other)")
    }
  }
}
