import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtDaemon

@Suite("ReadinessPublisher", .timeLimit(.minutes(1))) struct ReadinessPublisherTests {
  private let folder = SocketFolder()
  private let now = Box<Duration>(.seconds(100))
  private var file: String { folder.file(ReadinessReader.fileName) }

  private func publisher(path: String? = nil) -> ReadinessPublisher {
    ReadinessPublisher(path: path ?? file, processID: 42, now: { [now] in now.value })
  }

  private func record() -> ReadinessRecord? {
    FileManager.default.contents(atPath: file).flatMap { ReadinessRecord(line: [UInt8]($0)) }
  }

  private let open = ListeningEvent(state: .open, generation: 1)
  private let interrupted = ListeningEvent(state: .interrupted, reason: .suspended, message: "m", generation: 1)

  @Test("S-108 S-120 S-122 each step is written, for its user alone, and the heartbeat makes it young again")
  func writes() throws {
    let publisher = publisher()
    publisher.publish(open)
    // Another daemon may live: the record is not ours yet.
    #expect(record() == nil)
    publisher.begin()
    let first = ReadinessRecord(state: .open, generation: 1, publishedAt: .seconds(100), processID: 42)
    #expect(record() == first)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    publisher.publish(interrupted)
    #expect(record()?.state == .interrupted && record()?.reason == .suspended)
    now.value = .seconds(105)
    publisher.renew()
    #expect(record()?.publishedAt == .seconds(105) && record()?.state == .interrupted)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [ReadinessReader.fileName])
  }

  @Test("S-122 a reader never sees half a record, whoever writes meanwhile")
  func atomic() async {
    let publisher = publisher()
    publisher.publish(open)
    publisher.begin()
    let isDone = Box(false)
    let broken = await withTaskGroup(of: Int.self) { group in
      for event in [open, interrupted] {
        group.addTask {
          for _ in 0..<300 { publisher.publish(event) }
          isDone.value = true
          return 0
        }
      }
      group.addTask {
        var broken = 0
        while !isDone.value { if record() == nil { broken += 1 } }
        return broken
      }
      return await group.reduce(0, +)
    }
    #expect(broken == 0)
  }

  @Test("S-122 a folder that cannot be written to ends nothing, and the record comes back with the folder")
  func failure() throws {
    let path = folder.file("gone/readiness.json")
    let publisher = publisher(path: path)
    publisher.begin()
    publisher.publish(open)
    publisher.publish(interrupted)
    publisher.renew()
    #expect(access(path, F_OK) != 0)
    #expect(mkdir(folder.file("gone"), 0o700) == 0)
    publisher.renew()
    #expect(access(path, F_OK) == 0)
  }

  @Test("S-122 what a daemon that died in mid-write has left, loose or a link, is not written through")
  func leftover() throws {
    #expect(symlink(folder.file("target"), file + ".new") == 0)
    let publisher = publisher()
    publisher.publish(open)
    publisher.begin()
    #expect(record()?.state == .open)
    #expect(access(folder.file("target"), F_OK) != 0)
  }

  @Test(
    "S-121 Y-122 B-34 a daemon that is killed while it listens is known to be dead at once, whatever its record says")
  func killed() async throws {
    let (path, socket) = (file, folder.socket)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, socket = socket as String] in
      let server = try ControlServer(socket: .path(socket), handler: StubControlHandler())
      let publisher = ReadinessPublisher(path: path)
      publisher.publish(ListeningEvent(state: .open, generation: 1))
      publisher.begin()
      let reader = ReadinessReader(record: path, socket: socket)
      guard case .listening = reader.read() else { return }
      kill(getpid(), SIGKILL)
      server.stop()
    }
    #expect(record()?.state == .open)
    #expect(ReadinessReader(record: path, socket: socket).read() == .noDaemon)
  }
}
