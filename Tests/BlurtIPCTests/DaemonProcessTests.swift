import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct DaemonProcessTests {
  private func write(_ text: String, _ folder: SocketFolder) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("blurtd.lock")))
  }

  @Test("S-121 a daemon is seen by its lock file, from its start to its end, without a connection")
  func lifetime() throws {
    let folder = SocketFolder()
    #expect(!DaemonProcess.isRunning(behind: folder.socket))
    let handler = StubControlHandler()
    let server = try ControlServer(socket: .path(folder.socket), handler: handler)
    #expect(DaemonProcess.isRunning(behind: folder.socket))
    server.stop()
    #expect(!DaemonProcess.isRunning(behind: folder.socket))
    #expect(handler.clients.isEmpty)
  }

  @Test("S-121 a socket that only the service manager listens on has no daemon behind it")
  func activation() throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket)
    #expect(!DaemonProcess.isRunning(behind: folder.socket))
    #expect(listener.raw >= 0)
  }

  @Test(
    "S-121 what names no living process is no daemon",
    arguments: ["", "\n", "x\n", "0\n", "-1\n", "99999999999\n", "\u{0}\n", "2147483647\n"])
  func notRunning(_ text: String) throws {
    let folder = SocketFolder()
    try write(text, folder)
    #expect(!DaemonProcess.isRunning(behind: folder.socket))
  }

  @Test("S-121 a process that was killed and left its number behind is not running, and neither is a link or a folder")
  func leftBehind() throws {
    let folder = SocketFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    try write("\(process.processIdentifier)\n", folder)
    #expect(!DaemonProcess.isRunning(behind: folder.socket))
    let other = SocketFolder()
    try write("\(getpid())\n", folder)
    #expect(DaemonProcess.isRunning(behind: folder.socket))
    try FileManager.default.createSymbolicLink(
      atPath: other.file("blurtd.lock"), withDestinationPath: folder.file("blurtd.lock"))
    #expect(!DaemonProcess.isRunning(behind: other.socket))
    let third = SocketFolder()
    try FileManager.default.createDirectory(atPath: third.file("blurtd.lock"), withIntermediateDirectories: false)
    #expect(!DaemonProcess.isRunning(behind: third.socket))
  }
}
