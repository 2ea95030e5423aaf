import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("PrivateFile") struct PrivateFileTests {
  private let folder = SocketFolder()

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func mode(_ path: String) -> UInt32 {
    var found = stat()
    return stat(path, &found) == 0 ? found.st_mode & 0o7777 : 0
  }

  @Test("P-08 a file is replaced as a whole, is its owner's alone, and nothing is left beside it")
  func replaced() throws {
    let path = folder.file("a.json")
    let old = umask(0)
    defer { umask(old) }
    try PrivateFile.replace(path, with: Array("one".utf8))
    try PrivateFile.replace(path, with: Array("two".utf8))
    #expect(text(path) == "two")
    #expect(mode(path) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.json"])
  }

  @Test("P-08 what is not wanted any more, or fails, leaves the old content and no rest")
  func unwanted() throws {
    let path = folder.file("a.json")
    try PrivateFile.replace(path, with: Array("one".utf8))
    #expect(try PrivateFile.replace(path, with: Array("two".utf8)) { false } == false)
    #expect(text(path) == "one")
    mkdir(folder.file("b"), 0o700)
    mkdir(folder.file("b/full"), 0o700)
    #expect(throws: Errno.self) { try PrivateFile.replace(folder.file("b"), with: []) }
    #expect(throws: Errno.self) { try PrivateFile.replace(folder.file("none/a.json"), with: []) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.json", "b"])
  }

  @Test("a rest that a dead process left behind is in nobody's way")
  func rest() throws {
    symlink("/dev/null", folder.file(".a.json.\(getpid())"))
    try PrivateFile.replace(folder.file("a.json"), with: Array("one".utf8))
    #expect(text(folder.file("a.json")) == "one")
  }

  @Test("P-08 missing folders are made for their owner alone, and those that are there stay as they are")
  func folders() throws {
    mkdir(folder.file("a"), 0o755)
    try PrivateFile.makeFolder(folder.file("a/b/c"))
    #expect(mode(folder.file("a")) == 0o755)
    #expect(mode(folder.file("a/b")) == 0o700)
    #expect(mode(folder.file("a/b/c")) == 0o700)
    try PrivateFile.makeFolder(folder.file("a/b/c"))
    try PrivateFile.replace(folder.file("a/file"), with: [])
    #expect(throws: Errno.self) { try PrivateFile.makeFolder(folder.file("a/file/x")) }
  }

  @Test(
    "a path is taken apart into folder and name",
    arguments: [("/a/b", "/a", "b"), ("/b", "/", "b"), ("b", ".", "b"), ("x/y/z", "x/y", "z")])
  func split(path: String, folder: String, name: String) {
    #expect(PrivateFile.split(path) == (folder, name))
  }
}
