import BlurtEngine
import BlurtOS
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// The fault plug-in of `Tests/Rig/alsa`. libasound reads its configuration once, so the rig is chosen for the whole
/// test process, by the environment that `build-rig.sh` prints.
enum ALSARig {
  static let folder = getenv("BLURT_TEST_ALSA_RIG").map { String(cString: $0) }
  static var isThere: Bool { folder != nil && getenv("ALSA_CONFIG_PATH") != nil }
  static let reason: Comment = "needs `env $(Tests/Rig/alsa/build-rig.sh DIR) swift test`: an ALSA device with faults"

  static func sound(_ name: String) throws -> [UInt8] {
    let folder = try #require(folder)
    return [UInt8](try #require(FileManager.default.contents(atPath: "\(folder)/\(name)")))
  }
}

/// A capture device made to order, with a control file, a log and a sound file of its own.
final class RigDevice: Sendable {
  /// The folder of this device's files, removed with it.
  let folder: String
  /// The ALSA name.
  let name: String
  /// What it plays.
  let sound: [UInt8]

  /// - Parameter options: Arguments of `pcm.rig`, such as `START=1500`.
  convenience init(sound file: String? = "noise16.raw", _ options: String...) throws {
    try self.init(bytes: try file.map { try ALSARig.sound($0) }, options)
  }

  /// A device that plays these bytes.
  convenience init(playing bytes: [UInt8], _ options: String...) throws { try self.init(bytes: bytes, options) }

  private init(bytes: [UInt8]?, _ options: [String]) throws {
    folder = "/tmp/blurt-rig-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var arguments = ["CTL=\(folder)/ctl", "LOG=\(folder)/log", "COUNT=\(folder)/count"]
    if let bytes {
      sound = bytes
      // A copy, so that an open descriptor of it can only be this device's.
      try Data(sound).write(to: URL(filePath: "\(folder)/sound"))
      arguments.append("FILE=\(folder)/sound")
    } else {
      sound = []
      arguments.append("FILE=/dev/zero")
    }
    name = "rig:" + (arguments + options).joined(separator: ",")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Writes the control word.
  func tell(_ word: String) throws {
    try Data(word.utf8).write(to: URL(filePath: "\(folder)/ctl"), options: .atomic)
  }

  /// "open" and "close" in the order in which the device saw them; "wait" when a slow open begins.
  var log: [String] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/log") else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }

  /// The frames that the application was given since the last open.
  var framesHandedOver: Int { counter(0) }
  /// When the device was started, on the monotonic clock.
  var startTime: Duration { .nanoseconds(counter(1)) }

  private func counter(_ place: Int) -> Int {
    guard let data = FileManager.default.contents(atPath: "\(folder)/count"), data.count >= 16 else { return 0 }
    return [UInt8](data)[8 * place..<8 * place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether a descriptor of this process still leads to the device.
  var isOpen: Bool { OpenFiles.contain("\(folder)/sound") || log.last == "open" }
}

/// The descriptors and threads of this process, as the kernel lists them.
enum OpenFiles {
  static func contain(_ part: String) -> Bool { links.contains { $0.contains(part) } }

  static var links: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
  }

  static func threadCount(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.filter { task in
      FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm").map { String(decoding: $0, as: UTF8.self) }
        == name + "\n"
    }.count
  }
}

/// Waits for a condition of the real device, within bounds.
func eventually(
  within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
  let deadline = MonotonicClock.now() + limit
  while !condition() {
    try #require(MonotonicClock.now() < deadline, "the condition did not come true", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Reads a feed as it grows.
final class FeedReader: Sendable {
  private final class Inbox: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let hasEnded = Atomic<Bool>(false)
  }

  private let inbox = Inbox()

  init(_ feed: AudioFeed) {
    Task { [inbox] in
      for await chunk in feed.frames { inbox.bytes.withLock { $0 += chunk } }
      inbox.hasEnded.store(true, ordering: .releasing)
    }
  }

  var bytes: [UInt8] { inbox.bytes.withLock { $0 } }
  var hasEnded: Bool { inbox.hasEnded.load(ordering: .acquiring) }

  /// Waits until at least that much sound arrived.
  func wait(forMilliseconds milliseconds: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await eventually(sourceLocation: sourceLocation) {
      SyncSTTLimits.milliseconds(ofByteCount: bytes.count) >= milliseconds
    }
  }

  /// Waits for the end of the feed and returns all of it.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [UInt8] {
    try await eventually(sourceLocation: sourceLocation) { hasEnded }
    return bytes
  }
}

/// A recording in memory, which can hold the capture thread up.
final class MemoryRecording: KeptRecording {
  let id = "memory"
  let audioPath = "/nonexistent"
  private let received = Mutex<[UInt8]>([])
  private let onAppend: @Sendable (Int) -> Void

  /// - Parameter onAppend: Called on the capture thread with the bytes received before.
  init(onAppend: @escaping @Sendable (Int) -> Void = { _ in }) { self.onAppend = onAppend }

  var bytes: [UInt8] { received.withLock { $0 } }
  var byteCount: Int { bytes.count }
  var isComplete: Bool { true }
  func append(_ bytes: UnsafeRawBufferPointer) {
    onAppend(received.withLock { $0.count })
    received.withLock { $0 += bytes }
  }
  func note(target: CapturedFocus?, engine: EngineKind?) {}
  func close(_ fate: RecordingFate) {}
}

/// The samples of raw S16LE bytes.
func samples(_ bytes: some Collection<UInt8>) -> [Int16] {
  let bytes = Array(bytes)
  return stride(from: 0, to: bytes.count - 1, by: 2).map {
    Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
  }
}
