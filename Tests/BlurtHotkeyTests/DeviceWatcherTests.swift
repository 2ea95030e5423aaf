import BlurtHotkey
import BlurtOS
import Glibc
import Testing

struct DeviceWatcherTests {
  private func watcher(_ directory: String) throws -> DeviceWatcher {
    DeviceWatcher(try DeviceWatcher.open(), directory: directory)
  }

  @Test("H-77 nodes that appear, change their permissions and vanish are told by name")
  func nodes() throws {
    let folder = try TemporaryFolder()
    var watcher = try watcher(folder.path)
    #expect(watcher.problem == nil)
    #expect(watcher.changes() == [])
    try folder.write("", to: "event3")
    #expect(watcher.changes().first == .appeared("event3"))
    chmod(folder.path + "/event3", 0o600)
    #expect(watcher.changes() == [.changed("event3")])
    rename(folder.path + "/event3", folder.path + "/event4")
    #expect(watcher.changes() == [.removed("event3"), .appeared("event4")])
    unlink(folder.path + "/event4")
    #expect(watcher.changes().last == .removed("event4"))
  }

  @Test("H-77 a folder that comes later, goes and comes again is watched each time")
  func folderComesLater() throws {
    let parent = try TemporaryFolder()
    let directory = parent.path + "/input"
    var watcher = try watcher(directory)
    #expect(watcher.problem == nil)
    for _ in 1...2 {
      mkdir(parent.path + "/other", 0o700)
      rmdir(parent.path + "/other")
      #expect(watcher.changes() == [])
      mkdir(directory, 0o700)
      #expect(watcher.changes() == [.everything])
      try parent.write("", to: "input/event0")
      #expect(watcher.changes().first == .appeared("event0"))
      unlink(directory + "/event0")
      rmdir(directory)
      #expect(watcher.changes().last == .everything)
    }
  }

  @Test("H-77 a folder that is moved away is let go, and its successor is watched")
  func folderMoves() throws {
    let parent = try TemporaryFolder()
    let directory = parent.path + "/input"
    mkdir(directory, 0o700)
    var watcher = try watcher(directory)
    rename(directory, parent.path + "/old")
    #expect(watcher.changes().contains(.everything))
    try parent.write("", to: "old/event1")
    #expect(!watcher.changes().contains(.appeared("event1")))
    mkdir(directory, 0o700)
    #expect(watcher.changes().contains(.everything))
    try parent.write("", to: "input/event2")
    #expect(watcher.changes().contains(.appeared("event2")))
  }

  @Test("a folder whose own permissions change is looked at again")
  func folderPermissions() throws {
    let folder = try TemporaryFolder()
    var watcher = try watcher(folder.path)
    chmod(folder.path, 0o750)
    #expect(watcher.changes() == [.everything])
  }

  @Test("more changes than the kernel's queue holds lead to a look at everything")
  func overflow() throws {
    let folder = try TemporaryFolder()
    var watcher = try watcher(folder.path)
    let path = folder.path + "/event5"
    // The queue holds 16,384 by default; two names in turn, since equal neighbours are merged.
    for _ in 0..<12_000 {
      mkdir(path, 0o700)
      rmdir(path)
    }
    #expect(watcher.changes().contains(.everything))
  }

  @Test("a folder with no parent to watch is a problem that can be shown")
  func nowhere() throws {
    let folder = try TemporaryFolder()
    let watcher = try watcher(folder.path + "/no/such/folder")
    #expect(watcher.problem?.code == ENOENT)
  }
}
