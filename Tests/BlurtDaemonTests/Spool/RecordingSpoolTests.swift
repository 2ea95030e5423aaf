import BlurtEngine
import BlurtOS
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BlurtDaemon

/// A folder of its own for each test, removed with it.
private final class SpoolTestFolder: Sendable {
  let root = "/tmp/blurt-spool-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  /// Does not exist yet: the spool makes it.
  var spool: String { "\(root)/blurt/spool" }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []).sorted() }
  deinit { try? FileManager.default.removeItem(atPath: root) }
}

/// A wall clock that a test sets.
private final class WallClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
  var now: Date { time.withLock { $0 } }
  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

private func mode(_ path: String) -> UInt32 {
  var found = stat()
  return lstat(path, &found) == 0 ? found.st_mode & 0o777 : 0
}

extension KeptRecording {
  fileprivate func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }
}

private let sound = (0..<6_400).map { UInt8(truncatingIfNeeded: $0 * 31) }
private let failure = BlurtError.sttFailed(underlying: UnderlyingError(domain: .http, code: 503, message: "down"))

@Suite(.timeLimit(.minutes(1))) struct RecordingSpoolTests {
  private let folder = SpoolTestFolder()
  private let clock = WallClock()

  private func open(_ change: (inout SpoolSettings) -> Void = { _ in }) -> RecordingSpool {
    var settings = SpoolSettings()
    change(&settings)
    return RecordingSpool(directory: folder.spool, settings: { [settings] in settings }, now: { [clock] in clock.now })
  }

  /// One recording with sound that ended with that fate.
  @discardableResult
  private func record(_ spool: RecordingSpool, _ fate: RecordingFate, _ bytes: [UInt8] = sound) throws -> String {
    let recording = try #require(spool.begin(dictation: 7))
    recording.append(bytes)
    recording.close(fate)
    clock.advance(by: 1)
    return recording.id
  }

  // MARK: While it is captured

  @Test("every byte is in the file when append returns, and the record beside it tells what it is")
  func append() throws {
    let spool = open()
    let recording = try #require(spool.begin(dictation: 42))
    recording.append(Array(sound[..<1_000]))
    #expect(FileManager.default.contents(atPath: recording.audioPath) == Data(sound[..<1_000]))
    recording.append(Array(sound[1_000...]))
    #expect(FileManager.default.contents(atPath: recording.audioPath) == Data(sound))
    #expect(recording.byteCount == sound.count)
    #expect(recording.isComplete)

    recording.note(target: CapturedFocus(processID: 1, name: "Text Editor"), engine: .assemblyai)
    let record = try #require(spool.record(recording.id))
    #expect(record.dictation == 42)
    #expect(record.state == .recording)
    #expect(record.target == "Text Editor")
    #expect(record.engine == "assemblyai")
    #expect(record.byteCount == sound.count)
    #expect(record.startedAt == clock.now)
    #expect(record.duration == .milliseconds(200))
    #expect(spool.list() == [record])
    recording.close(.cancelledByUser)
  }

  @Test("the folder is 0700 and the files are 0600, whatever the umask")
  func modes() throws {
    let spool = open()
    let recording = try #require(spool.begin(dictation: 1))
    #expect(mode(folder.spool) == 0o700)
    #expect(mode(recording.audioPath) == 0o600)
    #expect(mode("\(folder.spool)/\(recording.id).json") == 0o600)
    recording.close(.cancelledByUser)
  }

  @Test("a folder that others may read is closed to them")
  func looseFolder() throws {
    try FileManager.default.createDirectory(atPath: folder.spool, withIntermediateDirectories: true)
    chmod(folder.spool, 0o755)
    _ = open()
    #expect(mode(folder.spool) == 0o700)
  }

  @Test("the identifiers are unique within one millisecond and sort by time")
  func identifiers() throws {
    let spool = open()
    var recordings = try (0..<3).map { _ in try #require(spool.begin(dictation: 1)) }
    clock.advance(by: 3_600)
    recordings.append(try #require(spool.begin(dictation: 2)))
    let ids = recordings.map(\.id)
    #expect(Set(ids).count == 4)
    #expect(ids == ids.sorted())
    #expect(ids[0] == "20270115T080000.000Z")
    for recording in recordings { recording.close(.cancelledByUser) }
  }

  @Test("keeping is turned off: nothing is begun, and the folder stays empty")
  func turnedOff() {
    let spool = open { $0.keepsAudio = false }
    #expect(spool.begin(dictation: 1) == nil)
    #expect(folder.names == [])
  }

  @Test("a folder that cannot be made keeps nothing and breaks nothing")
  func unusableFolder() throws {
    try FileManager.default.createDirectory(atPath: folder.root, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: "\(folder.root)/blurt"))
    let spool = open()
    #expect(spool.begin(dictation: 1) == nil)
    #expect(spool.list() == [])
    // It works as soon as the obstacle is gone.
    try FileManager.default.removeItem(atPath: "\(folder.root)/blurt")
    #expect(spool.begin(dictation: 2) != nil)
  }

  @Test("a folder removed behind our back is made again")
  func folderRemoved() throws {
    let spool = open()
    try FileManager.default.removeItem(atPath: folder.root)
    let recording = try #require(spool.begin(dictation: 1))
    recording.append(sound)
    #expect(spool.record(recording.id)?.byteCount == sound.count)
    recording.close(.cancelledByUser)
  }

  // MARK: How it ends

  @Test(
    "delivered, cancelled and too short: removed",
    arguments: [.delivered(.assemblyai, fellBackFrom: nil), .cancelledByUser, .belowFloor] as [RecordingFate])
  func removed(fate: RecordingFate) throws {
    let spool = open()
    try record(spool, fate)
    #expect(folder.names == [])
    #expect(spool.list() == [])
  }

  @Test(
    "B-117 failed, blank and a recovery cancel: kept with the sound and the reason, as what they are",
    arguments: [(.failed(failure), .failed), (.blank, .blank), (.recoveryCancelled, .recoveryCancelled)]
      as [(RecordingFate, SpoolRecord.State)])
  func kept(fate: RecordingFate, state: SpoolRecord.State) throws {
    let spool = open()
    let id = try record(spool, fate)
    let kept = try #require(spool.record(id))
    #expect(kept.state == state)
    #expect(kept.byteCount == sound.count)
    #expect(FileManager.default.contents(atPath: spool.audioPath(id)) == Data(sound))
    if state == .failed {
      #expect(kept.errorKind == "sttFailed")
      #expect(kept.errorMessage == "\(failure)")
    }
    // And a new daemon sees the same, without taking it for interrupted.
    let restarted = open()
    #expect(restarted.interruptedAtStart == [])
    #expect(restarted.list() == [kept])
  }

  @Test("a failure without one byte leaves nothing behind")
  func failedEmpty() throws {
    let spool = open()
    try record(spool, .failed(failure), [])
    #expect(folder.names == [])
  }

  @Test("what a fallback engine delivered stays until the next delivery")
  func fallback() throws {
    let spool = open()
    let id = try record(spool, .delivered(.offline, fellBackFrom: .assemblyai))
    let kept = try #require(spool.record(id))
    #expect(kept.state == .delivered && kept.engine == "offline" && kept.fellBackFrom == "assemblyai")
    let failed = try record(spool, .failed(failure))
    #expect(spool.record(id) != nil)
    let second = try record(spool, .delivered(.offline, fellBackFrom: .assemblyai))
    #expect(spool.record(id) == nil)
    #expect(spool.list().map(\.id) == [second, failed])
    try record(spool, .delivered(.assemblyai, fellBackFrom: nil))
    #expect(spool.list().map(\.id) == [failed])
  }

  @Test("after its end a recording takes nothing more, and a second end changes nothing")
  func closedOnce() throws {
    let spool = open()
    let recording = try #require(spool.begin(dictation: 1))
    recording.append(sound)
    recording.close(.failed(failure))
    recording.append(sound)
    recording.note(target: CapturedFocus(processID: 1, name: "late"), engine: .offline)
    recording.close(.cancelledByUser)
    let record = try #require(spool.record(recording.id))
    #expect(record.state == .failed && record.byteCount == sound.count && record.target == nil)
  }

  @Test("a recording that nobody ended is marked as interrupted")
  func forgotten() throws {
    let spool = open()
    var recording = spool.begin(dictation: 1)
    recording?.append(sound)
    let id = try #require(recording?.id)
    recording = nil
    #expect(spool.record(id)?.state == .interrupted)
  }

  @Test("a recording in progress cannot be removed; one that has ended can")
  func remove() throws {
    let spool = open()
    let recording = try #require(spool.begin(dictation: 1))
    recording.append(sound)
    #expect(!spool.remove(recording.id))
    recording.close(.blank)
    #expect(spool.remove(recording.id))
    #expect(!spool.remove(recording.id))
    #expect(folder.names == [])
  }

  @Test("a name that is no identifier reaches no file", arguments: ["../secret", "", "x", "../../../etc/passwd00"])
  func foreignNames(id: String) {
    let spool = open()
    #expect(spool.record(id) == nil)
    #expect(!spool.remove(id))
  }

  @Test("what was delivered goes when its window has read the words; a death before that leaves it interrupted")
  func unread() throws {
    let spool = open()
    spool.deliveryIsUnread(true)
    let delivered = try record(spool, .delivered(.assemblyai, fellBackFrom: nil))
    // No other end waits for a window.
    try record(spool, .cancelledByUser)
    let failed = try record(spool, .failed(failure))
    #expect(spool.list().map(\.id) == [failed, delivered])
    #expect(spool.record(delivered)?.state == .recording && spool.isInProgress(delivered))
    #expect(!spool.remove(delivered))
    spool.deliveryIsUnread(false)
    #expect(spool.list().map(\.id) == [failed])
    let last = try record(spool, .delivered(.assemblyai, fellBackFrom: nil))
    #expect(spool.record(last) == nil)
  }

  @Test("B-115 killed after the paste keys were sent and before the window has read the words")
  func killedUnread() async throws {
    let directory = folder.spool
    await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
      let spool = RecordingSpool(directory: directory)
      spool.deliveryIsUnread(true)
      let recording = try #require(spool.begin(dictation: 5))
      recording.append(sound)
      recording.close(.delivered(.assemblyai, fellBackFrom: nil))
      recording.append(sound)
      kill(getpid(), SIGKILL)
    }
    let record = try #require(RecordingSpool(directory: directory).interruptedAtStart.first)
    #expect(record.state == .interrupted && record.byteCount == sound.count)
  }

  // MARK: Bounds

  @Test("at most so many recordings stay, the oldest go first")
  func countBound() throws {
    let spool = open { $0.maximumCount = 3 }
    let ids = try (0..<5).map { _ in try record(spool, .blank) }
    #expect(spool.list().map(\.id) == ids[2...].reversed())
  }

  @Test("B-117 at most so many bytes stay, the oldest go first")
  func byteBound() throws {
    let spool = open { $0.maximumByteCount = sound.count * 2 }
    let ids = try (0..<4).map { _ in try record(spool, .blank) }
    #expect(spool.list().map(\.id) == ids[2...].reversed())
  }

  @Test("B-117 what is older than the bound goes")
  func ageBound() throws {
    let spool = open()
    let old = try record(spool, .blank)
    clock.advance(by: 20 * 3_600)
    let young = try record(spool, .blank)
    #expect(spool.list().map(\.id) == [young, old])
    clock.advance(by: 4 * 3_600)
    #expect(spool.list().map(\.id) == [young])
    #expect(folder.names.count == 2)
  }

  @Test("no bound touches the recording in progress, of this process or another")
  func boundsSpareRecording() throws {
    let spool = open {
      $0.maximumCount = 1
      $0.maximumByteCount = 10
    }
    let recording = try #require(spool.begin(dictation: 1))
    recording.append(sound)
    clock.advance(by: 48 * 3_600)
    try record(spool, .blank)
    #expect(spool.list().map(\.id) == [recording.id])
    // A second spool on the same folder stands for a second process: it has the lock alone to go by.
    let other = open {
      $0.maximumCount = 1
      $0.maximumByteCount = 10
    }
    #expect(other.interruptedAtStart == [])
    #expect(other.record(recording.id)?.state == .recording)
    #expect(!other.remove(recording.id))
    recording.close(.cancelledByUser)
  }

  // MARK: Faults

  @Test(
    "B-115 where the runtime folder fills up what follows stays in memory, and is written at the end if there is room then",
    arguments: [true, false])
  func full(hasRoomAgain: Bool) async throws {
    // A limit on the size of a file stands for the full disk, in a process of its own, since it holds for all of it.
    let directory = folder.spool
    await #expect(processExitsWith: .success) { [directory = directory as String, hasRoomAgain] in
      let spool = RecordingSpool(directory: directory)
      let recording = try #require(spool.begin(dictation: 1))
      recording.append(sound)
      #expect(recording.unwritten == [])
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let before = limit
      limit.rlim_cur = rlim_t(sound.count + 101)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      recording.append(sound)
      // Nothing is written behind a gap.
      recording.append(sound)
      #expect(!recording.isComplete)
      #expect(recording.byteCount == sound.count + 100)
      #expect(recording.unwritten == Array(sound[100...]) + sound)
      #expect(recording.availableByteCount == sound.count * 3)
      limit = before
      if hasRoomAgain { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
      recording.close(.failed(failure))
      // The process writes the coverage of this test as it ends.
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
    let spool = RecordingSpool(directory: directory)
    let record = try #require(spool.list().first)
    let kept = hasRoomAgain ? sound + sound + sound : sound + sound[..<100]
    #expect(record.state == .failed && record.isComplete == hasRoomAgain && record.byteCount == kept.count)
    #expect(FileManager.default.contents(atPath: spool.audioPath(record.id)) == Data(kept))
  }

  @Test("want of room is met by letting go of the oldest kept recording, never of one in progress")
  func givesWay() throws {
    let spool = open()
    let oldest = try record(spool, .blank)
    let newer = try record(spool, .failed(failure))
    let recording = try #require(spool.begin(dictation: 3))
    recording.append(sound)
    #expect(spool.giveWay(to: recording.id))
    #expect(spool.list().map(\.id) == [recording.id, newer])
    #expect(spool.record(oldest) == nil)
    #expect(spool.giveWay(to: recording.id))
    #expect(!spool.giveWay(to: recording.id))
    #expect(!spool.giveWay(to: "another"))
    recording.close(.cancelledByUser)
  }

  // MARK: After a crash

  @Test("B-115 killed in mid-recording: every byte that was handed over is there, and the next start says so")
  func killed() async throws {
    let directory = folder.spool
    await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
      let spool = RecordingSpool(directory: directory)
      let recording = try #require(spool.begin(dictation: 5))
      recording.note(target: CapturedFocus(processID: 1, name: "Mail"), engine: .offline)
      for start in stride(from: 0, to: 64_000, by: 640) {
        let bytes = (start..<start + 640).map { UInt8(truncatingIfNeeded: $0 / 7) }
        bytes.withUnsafeBytes { recording.append($0) }
      }
      kill(getpid(), SIGKILL)
    }
    let spool = RecordingSpool(directory: directory)
    let record = try #require(spool.interruptedAtStart.first)
    #expect(spool.interruptedAtStart.count == 1)
    #expect(record.state == .interrupted && record.byteCount == 64_000)
    #expect(record.dictation == 5 && record.target == "Mail" && record.engine == "offline")
    #expect(
      FileManager.default.contents(atPath: spool.audioPath(record.id))
        == Data((0..<64_000).map { UInt8(truncatingIfNeeded: $0 / 7) }))
    #expect(spool.list() == [record])
    // Said once.
    #expect(RecordingSpool(directory: directory).interruptedAtStart == [])
    #expect(spool.list() == [record])
  }

  @Test("leftovers of a crash at any step are swept: sound without record is kept, record without sound is not")
  func leftovers() throws {
    let first = open()
    let id = try record(first, .failed(failure))
    let lost = "20270114T100000.000Z"
    let empty = "20270114T110000.000Z"
    let silent = "20270114T120000.000Z"
    try Data(sound).write(to: URL(filePath: "\(folder.spool)/\(lost).pcm"))
    try Data().write(to: URL(filePath: "\(folder.spool)/\(empty).pcm"))
    try Data("{}".utf8).write(to: URL(filePath: "\(folder.spool)/\(silent).json"))
    try Data("{".utf8).write(to: URL(filePath: "\(folder.spool)/.\(id).json"))
    try Data("x".utf8).write(to: URL(filePath: "\(folder.spool)/notes.txt"))
    let spool = open()
    #expect(spool.interruptedAtStart.map(\.id) == [lost])
    #expect(spool.interruptedAtStart.first?.byteCount == sound.count)
    #expect(spool.list().map(\.id) == [id, lost])
    #expect(folder.names == ["\(id).json", "\(id).pcm", "\(lost).json", "\(lost).pcm", "notes.txt"].sorted())
  }

  @Test("a record that cannot be read costs its sound nothing")
  func brokenRecord() throws {
    let first = open()
    let id = try record(first, .blank)
    try Data("not JSON".utf8).write(to: URL(filePath: "\(folder.spool)/\(id).json"))
    let spool = open()
    #expect(spool.interruptedAtStart.map(\.id) == [id])
    #expect(FileManager.default.contents(atPath: spool.audioPath(id)) == Data(sound))
  }

  @Test("beginning is quick with a full spool: under 5 ms, taken as the best of several")
  func quick() throws {
    let spool = open()
    for _ in 0..<20 { try record(spool, .blank) }
    var best = Duration.seconds(1)
    for _ in 0..<10 {
      let started = MonotonicClock.now()
      let recording = try #require(spool.begin(dictation: 1))
      best = min(best, MonotonicClock.now() - started)
      recording.close(.cancelledByUser)
    }
    #expect(best < .milliseconds(5))
    print("spool begin: \(best)")
  }
}
