import BlurtEngine
import BlurtOffline
import FoundationEssentials
import Glibc
import Testing

/// A folder with a small shell program that plays the engine's process. Removed with it.
final class FakeEngine: Sendable {
  let folder: String

  /// `request` is shell text run for each request: `$id` and `$line` are set, `reply OUTCOME TEXT` answers, `$count` is the
  /// number of the process among those started, and the folder is the working directory.
  init(beforeReady: String = "", ready: Bool = true, request: String = #"reply speech "heard""#) throws {
    var template = Array("/tmp/blurt-offline-test-XXXXXX".utf8CString)
    folder = String(cString: try #require(mkdtemp(&template)))
    let readyLine =
      ready ? #"echo '{"ready":{"libraryVersion":30000,"sandbox":"seccomp","loadMilliseconds":1}}'"# : ":"
    let script = """
      #!/bin/sh
      cd '\(folder)' || exit 9
      echo x >> starts
      count=$(wc -l < starts)
      reply() {
        printf '{"id":%s,"answer":{"outcome":"%s","text":"%s","audioSeconds":1,"speechSeconds":1,' "$id" "$1" "$2"
        printf '"gateMilliseconds":1,"decodeMilliseconds":1}}\\n'
      }
      wait_for() { while [ ! -e "$1" ]; do sleep 0.01; done; }
      \(beforeReady)
      \(readyLine)
      while read -r line; do
        id=${line#*\\"id\\":}
        id=${id%%[,\\}]*}
        echo "$line" >> requests
        \(request)
      done
      touch ended
      """
    // Written by another process: a descriptor of ours would be inherited for a moment by whatever a test beside this
    // one starts, and the kernel runs no program that is open for writing.
    let writer = try #require(popen("umask 077; cat > '\(program)' && chmod 700 '\(program)'", "we"))
    fputs(script, writer)
    try #require(pclose(writer) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var program: String { folder + "/engine" }

  func path(_ name: String) -> String { folder + "/" + name }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  func text(of name: String) -> String {
    (try? Data(contentsOf: URL(filePath: path(name)))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  func lines(of name: String) -> [String] { text(of: name).split(separator: "\n").map(String.init) }

  func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

  func transcriber(idleMinutes: Double = 0, clock: any Clock<Duration>) -> OfflineTranscriber {
    OfflineTranscriber(
      installation: { OfflineInstallation(folder: "/engine-files") }, program: program, temporaryFolder: path("spool"),
      spareFolder: path("spare"), idleMinutes: { idleMinutes }, clock: clock)
  }
}

/// Waits for something outside this process, at most twenty seconds.
func eventually(_ what: Comment, _ condition: () async -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < deadline {
    if await condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  Issue.record("never happened: \(what)")
  throw CancellationError()
}

/// A recording that a test says everything about.
final class FakeRecording: KeptRecording {
  let id = "fake"
  let audioPath: String
  let byteCount: Int
  let isComplete: Bool

  let unwritten: [UInt8]?

  init(audioPath: String, byteCount: Int = 32_000, isComplete: Bool = true, unwritten: [UInt8]? = nil) {
    self.unwritten = isComplete ? [] : unwritten
    self.audioPath = audioPath
    self.byteCount = byteCount
    self.isComplete = isComplete
  }

  func append(_ bytes: UnsafeRawBufferPointer) {}
  func note(target: CapturedFocus?, engine: EngineKind?) {}
  func close(_ fate: RecordingFate) {}
}

/// A feed that has ended, of that many bytes in periods of 20 ms.
func feed(_ byteCount: Int, recording: (any KeptRecording)? = nil) -> AudioFeed {
  let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
  var left = byteCount
  while left > 0 {
    continuation.yield([UInt8](repeating: 7, count: min(640, left)))
    left -= 640
  }
  continuation.finish()
  return AudioFeed(frames: frames, recording: recording)
}

/// What a call threw, as the seam carries it.
func fault(_ body: () async throws -> Transcript) async -> OfflineFault? {
  do {
    _ = try await body()
    return nil
  } catch let error as UnderlyingError where error.domain == .offline {
    return OfflineFault(rawValue: error.code)
  } catch {
    return nil
  }
}
