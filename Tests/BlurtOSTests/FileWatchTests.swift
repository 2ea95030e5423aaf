import BlurtOS
import BlurtTestSupport
import Glibc
import Testing

@Suite("FileWatch", .timeLimit(.minutes(1))) struct FileWatchTests {
  private let folder = SocketFolder()

  private func list(_ path: String) throws -> FileWatchList {
    FileWatchList(Inotify(try Inotify.open()), path: path)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    try Array(text.utf8).withUnsafeBytes { bytes in try file.writeAll(bytes) }
    try file.close()
  }

  @Test("P-09 a file that is written, replaced or removed has changed; its neighbours have not")
  func changes() throws {
    let path = folder.file("settings.json")
    var list = try list(path)
    #expect(list.problem == nil)
    #expect(list.takeChanges() == false)
    try write("{}", to: path)
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("other.json"))
    #expect(list.takeChanges() == false)
    rename(folder.file("other.json"), path)
    #expect(list.takeChanges() == true)
    rename(path, folder.file("other.json"))
    #expect(list.takeChanges() == true)
    rename(folder.file("other.json"), path)
    #expect(list.takeChanges() == true)
    unlink(path)
    #expect(list.takeChanges() == true)
    #expect(list.takeChanges() == false)
  }

  @Test("P-09 a file that is being written does not count before it is closed")
  func halfWritten() throws {
    let path = folder.file("settings.json")
    var list = try list(path)
    let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT)
    #expect(list.takeChanges() == false)
    try Array("{".utf8).withUnsafeBytes { bytes in try file.writeAll(bytes) }
    #expect(list.takeChanges() == false)
    try file.close()
    #expect(list.takeChanges() == true)
  }

  @Test("P-09 folders that come later, go and come again are watched each time")
  func foldersComeLater() throws {
    let path = folder.file("a/b/settings.json")
    var list = try list(path)
    #expect(list.problem == nil)
    for _ in 1...2 {
      mkdir(folder.file("other"), 0o700)
      rmdir(folder.file("other"))
      #expect(list.takeChanges() == false)
      mkdir(folder.file("a"), 0o700)
      _ = list.takeChanges()
      mkdir(folder.file("a/b"), 0o700)
      #expect(list.takeChanges() == true)
      try write("{}", to: path)
      #expect(list.takeChanges() == true)
      unlink(path)
      #expect(list.takeChanges() == true)
      rmdir(folder.file("a/b"))
      rmdir(folder.file("a"))
      #expect(list.takeChanges() == true)
    }
    // All at once, before anybody looks.
    mkdir(folder.file("a"), 0o700)
    mkdir(folder.file("a/b"), 0o700)
    try write("{}", to: path)
    #expect(list.takeChanges() == true)
    try write("{ }", to: path)
    #expect(list.takeChanges() == true)
  }

  @Test("P-09 a folder that is moved away is let go, and its successor is watched")
  func folderMoves() throws {
    mkdir(folder.file("a"), 0o700)
    var list = try list(folder.file("a/settings.json"))
    rename(folder.file("a"), folder.file("old"))
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("old/settings.json"))
    #expect(list.takeChanges() == false)
    mkdir(folder.file("a"), 0o700)
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("a/settings.json"))
    #expect(list.takeChanges() == true)
  }

  @Test("P-09 where the path is a symbolic link, the file behind it is watched, and the link itself")
  func symbolicLink() throws {
    let path = folder.file("settings.json")
    mkdir(folder.file("dotfiles"), 0o700)
    try write("{}", to: folder.file("dotfiles/blurt.json"))
    var list = try list(path)
    symlink("dotfiles/blurt.json", path)
    #expect(list.takeChanges() == true)
    try write("{ }", to: folder.file("dotfiles/blurt.json"))
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("dotfiles/other.json"))
    #expect(list.takeChanges() == false)
    unlink(path)
    #expect(list.takeChanges() == true)
    // No longer the file's.
    try write("{}", to: folder.file("dotfiles/blurt.json"))
    #expect(list.takeChanges() == false)
  }

  @Test("a further hard link is a change: nobody will close it")
  func hardLink() throws {
    try write("{}", to: folder.file("other.json"))
    var list = try list(folder.file("settings.json"))
    link(folder.file("other.json"), folder.file("settings.json"))
    #expect(list.takeChanges() == true)
  }

  @Test("a file in the place of a folder is no error, and its end is seen")
  func fileInTheWay() throws {
    try write("x", to: folder.file("a"))
    var list = try list(folder.file("a/settings.json"))
    #expect(list.problem == nil)
    unlink(folder.file("a"))
    _ = list.takeChanges()
    mkdir(folder.file("a"), 0o700)
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("a/settings.json"))
    #expect(list.takeChanges() == true)
  }

  @Test("more changes than the kernel's queue holds are a change")
  func overflow() throws {
    var list = try list(folder.file("settings.json"))
    let names = [folder.file("x"), folder.file("y")]
    // The queue holds 16,384 by default; two names in turn, since equal neighbours are merged.
    for number in 0..<17_000 { close(open(names[number % 2], O_WRONLY | O_CREAT, 0o600)) }
    #expect(list.takeChanges() == true)
    try write("{}", to: folder.file("settings.json"))
    #expect(list.takeChanges() == true)
  }

  @Test("P-09 the thread tells of each change, sleeps between them, and ends when it is told to")
  func thread() async throws {
    let calls = Box<[Bool]>([])
    let path = folder.file("settings.json")
    let watch = try FileWatch(path: path, threadName: "blurt-settings") { isQuiet in
      calls.append(isQuiet)
      return false
    }
    #expect(await eventually { calls.value == [false] })
    #expect(watch.problem == nil)
    try write("{}", to: path)
    #expect(await eventually { calls.value.count == 2 })
    try write("{}", to: folder.file("other"))
    rename(folder.file("other"), path)
    #expect(await eventually { calls.value == [false, false, false] })
    watch.stop()
    try write("{}", to: path)
    #expect(calls.value.count == 3)
  }

  @Test("P-09 who met a file in the making is called again when it is quiet, once and not before")
  func quiet() async throws {
    let calls = Box<[Bool]>([])
    let watch = try FileWatch(path: folder.file("settings.json"), threadName: "blurt-settings") { isQuiet in
      calls.append(isQuiet)
      return !isQuiet
    }
    #expect(await eventually { calls.value == [false, true] })
    try write("{}", to: folder.file("settings.json"))
    #expect(await eventually { calls.value == [false, true, false, true] })
    watch.stop()
  }
}
