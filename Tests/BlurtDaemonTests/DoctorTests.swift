import BlurtCapture
import BlurtContext
import BlurtContract
import BlurtEngine
import BlurtHotkey
import BlurtIPC
import BlurtInjection
import BlurtSeat
import BlurtTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import BlurtDaemon

@Suite("The doctor", .timeLimit(.minutes(1))) struct DoctorTests {
  private func look(_ probe: DoctorProbe, record: Bool = false) async -> DoctorCheck { await probe.look(record) }

  private static func choice(
    _ chosen: EngineKind? = nil, key: Bool = false, offline: Bool = false, local: Bool = false
  ) -> EngineChoice {
    EngineChoice(chosen: chosen, key: key ? .present : .absent, offlineIsInstalled: offline, staysLocal: local)
  }

  @Test("Y-75 answers come in the order of the list, however long each takes")
  func order() async {
    let gate = Gate()
    let doctor = Doctor([
      DoctorProbe("first") { _ in
        await gate.pass()
        return DoctorCheck("first", .ok, "slow")
      },
      DoctorProbe("second") {
        gate.open()
        return DoctorCheck("second", .ok, "quick")
      },
    ])
    #expect(await doctor.examine(record: false).map(\.check) == ["first", "second"])
  }

  @Test("Y-116 a link that does not answer fails by itself after its time")
  func patience() async {
    let clock = TestClock()
    let never = Gate()
    let doctor = Doctor(
      [
        DoctorProbe("hangs") { _ in
          await never.pass()
          return DoctorCheck("hangs", .ok, "")
        }
      ], clock: clock)
    async let checks = doctor.examine(record: false)
    await clock.waitForSleepers(1)
    clock.advance(by: Doctor.patience)
    let found = await checks
    never.open()
    #expect(found.map(\.state) == [.failed])
    #expect(found.first?.remedy?.isEmpty == false)
  }

  @Test("Y-75 P-82 Y-116 each link that is missing gives a line of its own with one remedy")
  func everyFault() async {
    var locked = HotkeyStatus()
    locked.hasScanned = true
    locked.seen = 3
    locked.denied = 3
    locked.deniedKeyboards = [.init(node: "event3", name: "AT keyboard")]
    locked.triggers = ["KEY_RIGHTCTRL"]
    let failure = BlurtError.audioCaptureFailed(
      underlying: UnderlyingError(domain: .capture, code: 1, message: "There is no microphone."))
    let probes: [DoctorProbe] = [
      .settings(path: "/c/settings.json") { "It is broken." },
      .keyboard { [locked] in locked }, .keyboard { nil },
      .microphone(
        device: { "default" }, isBusy: { false }, open: { _ in .fails(failure) },
        record: { device in MicrophoneTrial(device: device, loudest: -90, byteCount: 32_000) }),
      .engine(choice: { Self.choice() }, fallback: { nil }),
      .engine(choice: { Self.choice(.offline) }, fallback: { nil }),
      .engine(choice: { Self.choice(.assemblyai, key: true, local: true) }, fallback: { nil }),
      .apiKey(reading: { .absent }, problem: { nil }, file: "/c/api-key", isNeeded: { true }),
      .apiKey(reading: { .absent }, problem: { "loose" }, file: "/c/api-key", isNeeded: { true }),
      .apiKey(reading: { .unavailable("locked") }, problem: { nil }, file: "/c/api-key", isNeeded: { true }),
      .offlineEngine(folder: { nil }, programIsThere: { true }, program: "/b", isNeeded: { true }),
      .offlineEngine(folder: { "/o" }, programIsThere: { false }, program: "/b", isNeeded: { false }),
      .display({ .noDisplay }, isWayland: { false }), .display({ .unreachable(display: ":7") }, isWayland: { false }),
      .display({ .noXTest(display: ":0") }, isWayland: { false }),
    ]
    for probe in probes {
      let check = await look(probe)
      #expect(check.check == probe.name)
      #expect(check.state == .failed, "\(check)")
      #expect(!check.message.isEmpty)
      #expect(check.remedy?.isEmpty == false, "\(check)")
    }
    #expect(await look(probes[3], record: true).state == .failed)
  }

  @Test("B-12 B-30 H-79 the keyboard's line names the keyboard, the link that is missing, and who has it")
  func keyboardLinks() async {
    var status = HotkeyStatus()
    status.hasScanned = true
    status.seen = 3
    status.triggers = ["KEY_RIGHTCTRL"]
    func check() async -> DoctorCheck {
      await look(
        .keyboard(
          { [status] in status }, denial: { node in node == "event3" ? .ruleNotApplied : .ruleMissing },
          holders: { node in InputHolders(running: node == "event4" ? ["keyd"] : []) }))
    }
    status.silencedKeyboards = [.init(node: "event4", name: "USB keyboard")]
    var found = await check()
    #expect(found.state == .failed)
    #expect(found.message.contains("USB keyboard (event4)") && found.message.contains("keyd is running"))

    status.denied = 1
    status.deniedKeyboards = [.init(node: "event3", name: "AT keyboard")]
    found = await check()
    #expect(found.state == .failed && found.remedy == KeyboardDenial.ruleNotApplied.remedy)
    #expect(
      found.message.contains("AT keyboard (event3)") && found.message.contains(KeyboardDenial.ruleNotApplied.reason))

    status.withTrigger = 1
    found = await check()
    #expect(found.state == .ok && found.message.contains("USB keyboard (event4)"))

    status = HotkeyStatus()
    status.hasScanned = true
    status.seen = 3
    status.triggers = ["KEY_F24"]
    found = await check()
    #expect(found.state == .failed && found.message.contains("No keyboard here has KEY_F24"))
  }

  @Test("Y-75 P-82 what works says so and has no remedy")
  func everythingWorks() async {
    var ready = HotkeyStatus()
    ready.hasScanned = true
    ready.seen = 3
    ready.withTrigger = 1
    ready.triggers = ["KEY_RIGHTCTRL"]
    let probes: [DoctorProbe] = [
      .settings(path: "/c/settings.json") { nil },
      .keyboard { [ready] in ready },
      .microphone(
        device: { "default" }, isBusy: { false }, open: { _ in .opens },
        record: { device in MicrophoneTrial(device: device, loudest: -23, byteCount: 32_000) }),
      .engine(choice: { Self.choice(key: true) }, fallback: { .offline }),
      .apiKey(reading: { .found("k") }, problem: { nil }, file: "/c/api-key", isNeeded: { true }),
      .apiKey(reading: { .absent }, problem: { nil }, file: "/c/api-key", isNeeded: { false }),
      .offlineEngine(folder: { "/o" }, programIsThere: { true }, program: "/b", isNeeded: { true }),
      .display({ .connected(display: ":0") }, isWayland: { false }),
      .context(isOn: { true }, availability: { .ready(programCount: 3, isEnabled: true) }),
      .context(isOn: { false }, availability: { .noBus("never asked") }),
      .recordings(folder: "/s", isKept: { true }, list: { [] }),
      .privacy { .offline },
    ]
    for probe in probes {
      for record in [false, true] {
        let check = await look(probe, record: record)
        #expect(check.state == .ok, "\(check)")
        #expect(check.remedy == nil)
      }
    }
  }

  @Test("C-95 P-82 without an accessibility bus the doctor says what is lost and what to do, and nothing has failed")
  func context() async {
    let lost: [ContextAvailability] = [.noBus("none runs in this session"), .noLibrary("libsystemd.so.0: not there")]
    for availability in lost {
      let check = await look(.context(isOn: { true }, availability: { availability }))
      #expect(check.state == .warning)
      #expect(check.remedy?.contains("FieldContext off") == true)
    }
    let sleeping = await look(.context(isOn: { true }, availability: { .ready(programCount: 1, isEnabled: false) }))
    #expect(sleeping.state == .ok && sleeping.message.contains("1 program that runs now"))
    #expect(sleeping.message.contains("toolkit-accessibility"))
    #expect(
      await look(.context(isOn: { false }, availability: { .noBus("") })).message.contains("BlurtFieldContext is off"))
  }

  private func lookAtSession(_ report: SeatReport?) async -> DoctorCheck { await look(.session { report }) }

  @Test("Y-131 the doctor names the session that is watched and says whether it is in front, or why none is watched")
  func session() async {
    var report = SeatReport()
    #expect(await lookAtSession(report).state == .skipped)
    report.isKnown = true
    #expect(await lookAtSession(report).state == .ok)
    var login = LoginSession(id: "3", path: "/s/3", userID: 1000, seat: "seat0")
    login.type = "x11"
    report.session = login
    let fine = await lookAtSession(report)
    #expect(fine == DoctorCheck("session", .ok, "Session 3 (x11, seat0) is watched; it is in front."))
    for (standing, word) in [(SeatStanding.locked, "locked"), (.inBackground, "in front"), (.asleep, "sleep")] {
      report.standing = standing
      for session in [login, nil] {
        report.session = session
        let check = await lookAtSession(report)
        #expect(check.state == .warning && check.message.contains(session == nil ? "no login session" : word))
        #expect(check.remedy?.isEmpty == false)
      }
    }
    for problem in [SeatReport.Problem.noLibrary("absent"), .noBus("refused"), .noLogind("silent")] {
      report.problem = problem
      let check = await lookAtSession(report)
      #expect(check.state == .warning && check.message.contains("not noticed"))
      #expect(check.remedy?.isEmpty == false)
    }
    #expect(await lookAtSession(nil).state == .warning)
  }

  @Test("P-82 B-89 without being asked the doctor opens the microphone and never records; a live one is left alone")
  func recordsOnlyIfAsked() async {
    let recorded = Box(0)
    let opened = Box(0)
    let busy = Box(false)
    let probe = DoctorProbe.microphone(
      device: { "default" }, isBusy: { busy.value },
      open: { _ in
        opened.value += 1
        return .opens
      },
      record: { device in
        recorded.value += 1
        return MicrophoneTrial(device: device, loudest: -20, byteCount: 1)
      })
    #expect(await look(probe).state == .ok)
    #expect((opened.value, recorded.value) == (1, 0))
    #expect(await look(probe, record: true).message.contains("-20 dBFS"))
    #expect((opened.value, recorded.value) == (1, 1))
    busy.value = true
    #expect(await look(probe, record: true).state == .skipped)
    #expect((opened.value, recorded.value) == (1, 1))
  }

  @Test("C-25 a trial listens for a second, finds the loudest frame and closes the microphone")
  func trial() async throws {
    let microphone = FakeMicrophone()
    microphone.script { $0.byteCount = 32_000 }
    let trial = try await MicrophoneTrial.make(device: "card", microphone: microphone)
    #expect(trial.byteCount == 32_000)
    // The fake's bytes are all 1: samples of 257, which is −42 dBFS.
    #expect(abs(trial.loudest + 42.1) < 0.2)
    #expect(trial.check.state == .ok)
    #expect(!microphone.isOpen)
    #expect(MicrophoneTrial(device: "card", loudest: AudioPower.noSignal, byteCount: 32_000).check.state == .failed)
    #expect(MicrophoneTrial(device: "card", loudest: -64, byteCount: 32_000).check.state == .ok)
    #expect(MicrophoneTrial(device: "card", loudest: AudioPower.noSignal, byteCount: 0).check.state == .failed)
  }

  @Test("interrupted recordings and unkept ones are worth a note")
  func notes() async {
    let record = SpoolRecord(id: "20260131T101500.042Z", dictation: 1, startedAt: Date(), state: .interrupted)
    let waiting = await look(.recordings(folder: "/s", isKept: { true }, list: { [record] }))
    #expect(waiting.state == .warning)
    #expect(waiting.remedy == "blurtctl retry")
    #expect(await look(.recordings(folder: "/s", isKept: { false }, list: { [] })).state == .warning)
    #expect(await look(.display({ .connected(display: ":0") }, isWayland: { true })).state == .warning)
  }

  @Test("Y-152 the notice lists what leaves the machine, and that nothing does without a service")
  func privacy() async {
    let service = await look(.privacy { .assemblyai }).message
    for field in ["sound", "key terms", "style", "last dictations", "before the caret"] {
      #expect(service.contains(field))
    }
    #expect(await look(.privacy { .offline }).message.hasPrefix("Nothing leaves this machine"))
  }

  @Test("the answer to doctor carries the checks")
  func command() async {
    let service = DoctorCommand(Doctor([DoctorProbe("works") { DoctorCheck("works", .ok, "fine") }]))
    let ack = await withCheckedContinuation { continuation in
      service.handle(
        ClientCommand(id: "1", .doctor(record: false)), from: ClientIdentity(connection: 1, processID: 1, userID: 0)
      ) { continuation.resume(returning: $0) }
    }
    #expect(ack.result == .done)
    #expect(ack.checks == [DoctorCheck("works", .ok, "fine")])
  }
}
