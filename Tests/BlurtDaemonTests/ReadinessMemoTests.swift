import BlurtDaemon
import BlurtEngine
import BlurtTestSupport
import Glibc
import Testing

@Suite struct ReadinessMemoTests {
  /// What the memo said, and whether it had to ask.
  private struct Press: Equatable {
    static let remembered = Press(blocker: nil, asked: false)
    static let looked = Press(blocker: nil, asked: true)
    var blocker: BlurtError?
    var asked: Bool
  }

  /// A memo over settings and a key file, with what it asked.
  private final class Rig {
    let folder: ScratchFolder
    let memo: ReadinessMemo
    var settings: UInt64 = 0
    var key: String { folder.path + "/api-key" }
    var blocker: BlurtError?
    var isOfFilesAlone = true
    var asked = 0

    /// A clock far ahead: every version counts as settled.
    init(now: @escaping @Sendable () -> Int64 = { .max / 2 }) throws {
      folder = try ScratchFolder()
      memo = ReadinessMemo(now: now)
    }

    func press(keyFile: Bool = true) -> Press {
      let before = asked
      let blocker = memo.blocker(settings: settings, keyFile: keyFile ? key : nil) {
        asked += 1
        return (self.blocker, isOfFilesAlone)
      }
      return Press(blocker: blocker, asked: asked > before)
    }
  }

  @Test("S-50 S-124 while nothing changes a press that was accepted is accepted without another look into the files")
  func remembered() throws {
    let rig = try Rig()
    try rig.folder.write("key", to: "api-key")
    #expect(rig.press().asked)
    for _ in 0..<3 { #expect(rig.press() == .remembered) }
  }

  @Test(
    "S-50 any change is seen by the next press: settings change; the key file comes, changes, is replaced, goes, or is opened to others"
  )
  func changed() throws {
    let rig = try Rig()
    _ = rig.press()
    let changes: [(Rig) throws -> Void] = [
      { try $0.folder.write("key", to: "api-key") },
      { try $0.folder.write("another key", to: "api-key") },
      {
        try $0.folder.write("another key", to: "new")
        rename($0.folder.path + "/new", $0.key)
      },
      { chmod($0.key, 0o644) },
      { $0.settings += 1 },
      { unlink($0.key) },
    ]
    for (number, change) in changes.enumerated() {
      try change(rig)
      #expect(rig.press() == .looked, "change \(number)")
      #expect(rig.press() == .remembered, "change \(number)")
    }
  }

  @Test("S-50 a refusal is never remembered: saving a key is enough")
  func refused() throws {
    let rig = try Rig()
    rig.blocker = .apiKeyMissing
    for _ in 0..<2 { #expect(rig.press() == Press(blocker: .apiKeyMissing, asked: true)) }
    try rig.folder.write("key", to: "api-key")
    rig.blocker = nil
    #expect(rig.press() == .looked)
  }

  @Test("S-50 a file that has only just changed may change again unseen, so that it is looked into each time")
  func justChanged() throws {
    let rig = try Rig(now: FileVersion.now)
    try rig.folder.write("key", to: "api-key")
    for _ in 0..<3 { #expect(rig.press() == .looked) }
  }

  @Test("S-50 what depends on more than the files is decided each time")
  func moreThanFiles() throws {
    let rig = try Rig()
    rig.isOfFilesAlone = false
    for _ in 0..<3 { #expect(rig.press() == .looked) }
  }

  @Test("S-50 a key that another source has, or has no more, is another case, whether or not there is a key file")
  func otherSource() throws {
    let rig = try Rig()
    for isThere in [false, true] {
      if isThere { try rig.folder.write("key", to: "api-key") }
      _ = rig.press()
      #expect(rig.press(keyFile: false) == .looked)
      #expect(rig.press(keyFile: false) == .remembered)
      #expect(rig.press() == .looked)
    }
  }
}
