import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtDaemon

/// A whole daemon in this process, in a folder of its own, without display and key.
@Suite("Daemon life", .serialized, .timeLimit(.minutes(2))) struct DaemonLifeTests {
  private let folder = SocketFolder()

  /// Nothing of the user's is within reach, nor the session this machine may be locked in.
  private var environment: [String: String] {
    [
      "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/nonexistent",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
  }

  private func start() throws -> Daemon {
    try Daemon(options: DaemonOptions(), environment: environment, activatedSocket: nil)
  }

  private var socket: String { folder.file("blurt/blurtd.sock") }
  private var recordFile: String { folder.file("blurt/" + ReadinessReader.fileName) }
  private var reader: ReadinessReader { ReadinessReader(record: recordFile, socket: socket) }

  private func record() throws -> ReadinessRecord {
    let data = try #require(FileManager.default.contents(atPath: recordFile))
    return try #require(ReadinessRecord(line: [UInt8](data)))
  }

  @Test(
    "S-120 S-122 Y-122 a daemon writes that it listens, and at a clean exit that it does not, before its socket goes")
  func cleanExit() async throws {
    #expect(reader.read() == .noDaemon)
    let daemon = try start()
    #expect(reader.read() == .listening(try record()))
    #expect(try record().processID == Int(getpid()))
    let client = try LineClient(socket)
    try client.send(#"{"id":"w","cmd":"watch"}"#)
    #expect(client.line()?.contains("done") == true)
    #expect(client.line()?.contains("phase") == true)
    try client.send(#"{"id":"s","cmd":"status"}"#)
    let status = try #require(client.line())
    #expect(status.contains(#""window":"open""#))
    #expect(!status.contains(#""owner""#))
    await daemon.stop()
    // The step was told before the connection ended: the socket goes last.
    let step = try #require(client.line())
    #expect(step.contains(#""event":"listening""#) && step.contains(#""reason":"stopping""#))
    #expect(client.isClosed())
    #expect(try record().state == .closed && record().reason == .stopping)
    #expect(access(socket, F_OK) != 0)
    #expect(reader.read() == .noDaemon)
  }

  @Test("S-120 a second daemon does not touch the record of the first")
  func second() async throws {
    let daemon = try start()
    let before = try record()
    #expect(throws: Daemon.StartFailure.self) { try start() }
    #expect(try record() == before)
    await daemon.stop()
  }

  @Test("B-49 a second daemon touches nothing in the folder of the first, whatever its socket and its bounds")
  func secondTouchesNothing() async throws {
    let daemon = try start()
    let spool = folder.file("blurt/spool")
    // More than the default bounds let lie, of a user whose settings the second daemon does not see.
    for second in 10..<40 {
      let id = "20260131T1015\(second).042Z"
      try Data([1, 0]).write(to: URL(fileURLWithPath: "\(spool)/\(id).pcm"))
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: spool).sorted()
    let record = try record()
    for socket in [nil, folder.file("other.sock")] {
      var options = DaemonOptions()
      options.socket = socket
      let failure = #expect(throws: Daemon.StartFailure.self) {
        try Daemon(options: options, environment: environment, activatedSocket: nil)
      }
      #expect(failure?.message.contains("process \(getpid())") == true)
      #expect(failure?.exitStatus == 1)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool).sorted() == before)
    #expect(try self.record() == record)
    #expect(access(folder.file("other.sock"), F_OK) != 0)
    await daemon.stop()
    await (try start()).stop()
  }

  @Test("S-142 the setting BlurtListening closes and opens the window of a daemon that runs")
  func setting() async throws {
    let config = folder.file(".config/blurt")
    try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
    let daemon = try start()
    let client = try LineClient(socket)
    try Data(#"{"BlurtListening":false}"#.utf8).write(to: URL(fileURLWithPath: config + "/settings.json"))
    try client.send(#"{"id":"1","cmd":"press"}"#)
    #expect(client.line()?.contains(#""reason":"windowClosed""#) == true)
    // The watch of the file may have been faster than the press, and be publishing still.
    #expect(await eventually { reader.read() == .notListening(.windowClosed) })
    try client.send(#"{"id":"s","cmd":"status"}"#)
    let status = try #require(client.line())
    #expect(status.contains(#""window":"closed""#) && status.contains(#""listening":false"#))
    try Data(#"{"BlurtListening":true }"#.utf8).write(to: URL(fileURLWithPath: config + "/settings.json"))
    try client.send(#"{"id":"2","cmd":"press"}"#)
    // There is no key and no engine; but the window is open.
    #expect(client.line()?.contains(#""reason":"windowClosed""#) == false)
    #expect(await eventually { (try? record()).map { reader.read() == .listening($0) } == true })
    #expect(try record().generation == 2)
    await daemon.stop()
  }
}
