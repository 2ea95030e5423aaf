import BlurtDaemon
import Glibc
import Testing

struct InputHoldersTests {
  /// `/proc` with one folder for each process.
  private func processes(_ names: [String: String]) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    for (process, name) in names { try folder.write(name + "\n", to: "\(process)/comm") }
    return folder
  }

  @Test("B-12 a program of the same user that has the device open is named")
  func open() throws {
    let folder = try processes(["12": "kmonad", "13": "bash", "14": "keyd", "self": "bash"])
    for process in ["12", "13"] { mkdir("\(folder.path)/\(process)/fd", 0o755) }
    symlink("/dev/input/event3", "\(folder.path)/12/fd/5")
    symlink("/dev/input/event30", "\(folder.path)/13/fd/6")
    let holders = InputHolders(of: "event3", processes: folder.path)
    #expect(holders == InputHolders(open: ["kmonad"]))
    #expect(holders.remark == "open in kmonad")
  }

  @Test("B-12 where nobody can be seen to have it open, the remappers that run are named, and no other program")
  func running() throws {
    let folder = try processes(["12": "keyd", "13": "bash", "14": "input-remapper-", "15": "keyboard-thing"])
    let holders = InputHolders(of: "event3", processes: folder.path)
    #expect(holders == InputHolders(running: ["input-remapper-", "keyd"]))
    #expect(holders.remark == "input-remapper-, keyd is running")
    #expect(InputHolders(of: "event3", processes: "\(folder.path)/none").remark == nil)
  }
}
