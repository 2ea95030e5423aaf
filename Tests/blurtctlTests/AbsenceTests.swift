import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@testable import blurtctl

@Suite struct AbsenceTests {
  private let folder = SocketFolder()
  private var absent: VerbError {
    .client(.noDaemon(path: folder.socket, Errno(ENOENT, call: "connect")))
  }

  private func absence(socket: String? = nil, _ environment: [String: String] = [:]) -> Absence {
    Absence(path: socket ?? folder.socket) { environment[$0] }
  }

  private func write(_ record: ReadinessRecord) throws {
    try Data(record.line).write(to: URL(fileURLWithPath: folder.file(ReadinessReader.fileName)))
  }

  @Test(
    "Y-116 the remedy is the service manager's where the unit is installed and the socket is its own, else the program")
  func remedy() throws {
    let config = folder.file("config")
    try FileManager.default.createDirectory(atPath: config + "/systemd/user", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: config + "/systemd/user/blurtd.service"))
    let installed = ["XDG_CONFIG_HOME": config]
    let socket = "/nowhere/blurt/blurtd.sock"
    #expect(
      absence(socket: socket, installed).explained(absent).sentence.hasSuffix(
        "Start Blurt: systemctl --user start blurtd"))
    #expect(
      absence(socket: socket, installed).explained(.client(.noAnswer)).sentence
        == "blurtd does not answer. Start Blurt again: systemctl --user restart blurtd")
    #expect(absence(socket: "/tmp/other.sock", installed).explained(absent).sentence.hasSuffix("Start Blurt: blurtd"))
    let other = absence(socket: socket, installed.merging(["BLURT_IDENTITY": "test"]) { $1 })
    #expect(!other.explained(absent).sentence.contains("systemctl"))
  }

  @Test("S-121 where no daemon lives, what the last one wrote tells whether it was ended or died")
  func fate() throws {
    #expect(absence().fate == nil)
    var record = ReadinessRecord(state: .open, generation: 1, publishedAt: .seconds(1), processID: 4711)
    try write(record)
    #expect(absence().fate?.hasPrefix("It died as process 4711;") == true)
    #expect(absence().explained(absent).sentence.contains("It died as process 4711;"))
    record.state = .closed
    record.reason = .stopping
    try write(record)
    #expect(absence().fate == "It was ended in good order.")
  }

  @Test("S-121 a daemon that lives and whose socket is gone is not called dead")
  func socketGone() throws {
    let server = try ControlServer(socket: .path(folder.socket), handler: StubControlHandler())
    defer { server.stop() }
    try write(
      ReadinessRecord(
        state: .open, generation: 1, publishedAt: MonotonicClock.sinceBoot(), processID: Int(getpid())))
    #expect(unlink(folder.socket) == 0)
    let sentence = absence().explained(absent).sentence
    #expect(sentence.contains("Process \(getpid()) is a blurtd that lives, but its socket is gone."))
    #expect(sentence.contains("Start Blurt again: "))
  }

  @Test("S-151 what a daemon said itself stays as it is, and so does the way the program ends")
  func untouched() {
    let refused = VerbError.client(.refused(WireError(.tooManyClients)))
    #expect(absence().explained(refused) == refused)
    #expect(absence().explained(absent).exitStatus == .noDaemon)
    #expect(String(decoding: absence().explained(absent).line, as: UTF8.self).contains(#""reason":"noDaemon""#))
  }
}
