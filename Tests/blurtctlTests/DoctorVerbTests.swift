import BlurtContract
import BlurtIPC
import BlurtOS
import Glibc
import Testing

@testable import blurtctl

@Suite("blurtctl doctor", .timeLimit(.minutes(1))) struct DoctorVerbTests {
  @Test("Y-116 a person gets one line for each link, and the remedy under what fails")
  func text() {
    let text = DoctorVerb.text(
      [
        DoctorCheck("socket", .ok, "It answers."),
        DoctorCheck("microphone", .failed, "There is none.", remedy: "arecord -L"),
        DoctorCheck(
          "unit", .warning, "It is installed, and it does not run at all.", remedy: "start it and look again"),
      ], width: 50)
    #expect(
      text == """
        ok       socket      It answers.
        FAILED   microphone  There is none.
                             Try: arecord -L
        warning  unit        It is installed, and it does
                             not run at all.
                             Try: start it and look again
        """)
  }

  @Test(
    "Y-116 what the service manager says of the unit becomes one line",
    arguments: [
      ("LoadState=not-found\nActiveState=inactive\nUnitFileState=\nResult=success\n", DoctorCheck.State.warning),
      ("LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nResult=success\n", .ok),
      ("LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\nResult=success\n", .warning),
      ("LoadState=loaded\nActiveState=failed\nUnitFileState=enabled\nResult=exit-code\n", .failed),
      ("", .warning), ("nonsense", .warning),
    ])
  func unit(_ properties: String, _ state: DoctorCheck.State) {
    let check = DoctorVerb.unit(properties)
    #expect(check.state == state)
    #expect((check.remedy == nil) == (state == .ok))
  }

  @Test("S-151 the doctor passes on what the daemon found, and ends with 1 when a link fails")
  func run() async throws {
    let found = [DoctorCheck("microphone", .failed, "There is none.", remedy: "arecord -L")]
    let daemon = try FakeDaemon(FakeDaemon.Script(checks: found))
    defer { daemon.stop() }
    let run = await daemon.run("doctor")
    #expect(run.out.contains("FAILED   microphone"))
    #expect(run.out.contains("Try: arecord -L"))
    #expect(run.status == .failed)
    let json = await daemon.run("doctor --json")
    #expect(json.out.contains(#""check":"microphone""#))
    #expect(json.out.contains(#""ok":false"#))
    _ = await daemon.run("doctor --record")
    let asked = daemon.commands.map(\.action).filter { $0.name == .doctor }
    #expect(asked == [.doctor(record: false), .doctor(record: false), .doctor(record: true)])
  }

  @Test("Y-116 where nobody answers there is one remedy, by who looks after blurtd: the service manager, or nobody")
  func oneRemedy() {
    func remedies(_ unit: DoctorCheck, _ error: ControlClientError) -> [String] {
      DoctorVerb.unanswered(.client(error), "/run/a.sock", unit: unit).compactMap(\.remedy)
    }
    let absent = ControlClientError.noDaemon(path: "/run/a.sock", Errno(ENOENT, call: "connect"))
    let none = DoctorCheck("unit", .skipped, "There is no systemctl here.")
    #expect(remedies(none, absent) == ["blurtd"])
    #expect(remedies(DoctorVerb.unit("LoadState=not-found\n"), absent) == ["blurtd"])
    for (state, verb) in [("inactive", "start"), ("failed", "start"), ("active", "restart")] {
      let unit = DoctorVerb.unit("LoadState=loaded\nActiveState=\(state)\n")
      #expect(remedies(unit, absent) == ["systemctl --user \(verb) blurtd"], "\(state)")
      #expect(remedies(unit, .noAnswer) == ["systemctl --user restart blurtd"])
    }
    let checks = DoctorVerb.unanswered(.client(absent), "/run/a.sock", unit: none)
    #expect(!checks.contains { $0.message.contains("systemctl --user") })
  }

  @Test("S-151 without a daemon the doctor still tells what it sees, and ends with 6")
  func noDaemon() async throws {
    let daemon = try FakeDaemon()
    defer { daemon.stop() }
    let run = await daemon.run("doctor --socket /nonexistent/blurtd.sock")
    #expect(run.status == .noDaemon)
    #expect(run.out.contains("FAILED   socket"))
    #expect(run.out.contains("Try: "))
  }
}
