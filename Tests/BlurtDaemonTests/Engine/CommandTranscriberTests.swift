import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("The engine command", .timeLimit(.minutes(1))) struct CommandTranscriberTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// An engine whose program is this shell script.
  private func engine(
    _ script: String, limit: Duration = .seconds(30), environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    arguments: [String] = []
  ) throws -> CommandTranscriber {
    try scratch.write("#!/bin/sh\n\(script)\n", to: "program", mode: 0o755)
    let path = scratch.path + "/program"
    return CommandTranscriber(
      settings: .init(command: { [path] + arguments }, limit: { limit }), environment: environment)
  }

  private func feed(_ byteCount: Int = 6_400, isKept: Bool = true) -> AudioFeed {
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
    let spool = RecordingSpool(directory: scratch.path + "/spool")
    let recording = isKept ? spool.begin(dictation: 1) : nil
    bytes.withUnsafeBytes { recording?.append($0) }
    feed.yield(bytes)
    feed.finish()
    return AudioFeed(frames: frames, recording: recording)
  }

  private func transcribe(
    _ engine: CommandTranscriber, _ feed: AudioFeed? = nil, terms: [String] = []
  ) async throws -> Transcript {
    try await engine.transcribe(
      feed ?? self.feed(), sampleRate: 16_000, context: TranscriptionContext(keyTerms: terms))
  }

  private func error(_ engine: CommandTranscriber) async -> UnderlyingError? {
    await #expect(throws: UnderlyingError.self) { try await transcribe(engine) }
  }

  private func contents(_ name: String) -> [UInt8] { TestFile.bytes(scratch.path + "/" + name) ?? [] }

  @Test(
    "the program gets a whole WAV file on its input, seekable, and its output is the text", arguments: [true, false])
  func works(isKept: Bool) async throws {
    let engine = try engine(
      "cat > '\(scratch.path)/got'; readlink /proc/self/fd/0 > '\(scratch.path)/kind'; echo '  Hello there.  '")
    let transcript = try await transcribe(engine, feed(isKept: isKept))
    #expect(transcript == Transcript(text: "Hello there.", engine: .command))
    #expect(
      contents("got") == WAVHeader.make(sampleByteCount: 6_400) + (0..<6_400).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try WAVFile(parsing: contents("got")).duration == .milliseconds(200))
    #expect(String(decoding: contents("kind"), as: UTF8.self).hasPrefix("/memfd:"))
  }

  @Test("no shell looks at the words of the setting")
  func noShell() async throws {
    let engine = try engine("printf '%s|' \"$@\"", arguments: ["$HOME", "a b", "; touch x", "*"])
    #expect(try await transcribe(engine).text == "$HOME|a b|; touch x|*|")
  }

  @Test("T-111 the program's environment has the key terms, no key, and nothing of the service manager's")
  func environment() async throws {
    let engine = try engine(
      "env",
      environment: [
        "PATH": "/usr/bin:/bin", "LANG": "C", "ASSEMBLYAI_API_KEY": "secret-1", "BLURT_OPENAI_API_KEY": "secret-2",
        "CREDENTIALS_DIRECTORY": "/run/credentials", "NOTIFY_SOCKET": "/run/notify", "LISTEN_FDS": "1",
      ])
    let transcript = try await transcribe(engine, terms: ["Blurt", "Moonshine"])
    #expect(transcript.keyTerms == ["Blurt", "Moonshine"])
    let text = transcript.text
    #expect(text.contains("LANG=C") && text.contains("BLURT_KEY_TERMS=Blurt\nMoonshine"))
    for word in ["secret", "CREDENTIALS", "NOTIFY", "LISTEN"] { #expect(!text.contains(word), "\(word)") }
  }

  @Test("T-111 the program inherits its three descriptors, and none of ours")
  func descriptors() async throws {
    let text = try await transcribe(try engine("ls /proc/self/fd")).text
    // What the test's own starter left open for all is no doing of ours; one is that of ls itself.
    let given = (Int32(3)..<1_024).filter {
      let flags = fcntl($0, F_GETFD)
      return flags >= 0 && flags & FD_CLOEXEC == 0
    }
    let seen = Set(text.split(separator: "\n").compactMap { Int32($0) })
    #expect(seen.isSuperset(of: [0, 1, 2]) && seen.subtracting(given).subtracting([0, 1, 2]).count == 1, "\(seen)")
  }

  @Test("a status is told with the last line of its standard error, in one line")
  func status() async throws {
    let error = await error(try engine("echo first >&2; printf 'the model\\033[1m is missing\\n\\n' >&2; exit 3"))
    #expect(error?.domain == .command && error?.code == 3)
    let message = try #require(error?.message)
    #expect(message.contains("ended with status 3. It said: the model[1m is missing."))
    #expect(message.contains("blurtctl retry") && !message.contains("first") && !message.contains("\u{1B}"))
  }

  @Test("a crash is told with its signal")
  func crash() async throws {
    let error = await error(try engine("kill -SEGV $$"))
    #expect(error?.code == CommandFault.crashed.rawValue && error?.message.contains("ended by signal 11") == true)
  }

  @Test("a status over 128 is a status: no signal ended the program", arguments: [129, 139, 255])
  func highStatus(status: Int) async throws {
    let error = await error(try engine("exit \(status)"))
    #expect(error?.code == status && error?.message.contains("ended with status \(status).") == true)
  }

  @Test("B-115 what found no room in the recording's file reaches the program behind it")
  func roomless() async throws {
    let bytes = (0..<9_600).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes[..<3_200]).write(to: URL(filePath: scratch.path + "/recording"))
    let recording = RoomlessRecording(
      audioPath: scratch.path + "/recording", byteCount: 3_200, unwritten: Array(bytes[3_200...]))
    let ended = AudioFeed(frames: AsyncStream { $0.finish() }, recording: recording)
    _ = try await transcribe(try engine("cat > '\(scratch.path)/got'; echo x"), ended)
    #expect(contents("got") == WAVHeader.make(sampleByteCount: 9_600) + bytes)
  }

  /// A recording whose file is full.
  private final class RoomlessRecording: KeptRecording {
    let id = "roomless"
    let audioPath: String
    let byteCount: Int
    let unwritten: [UInt8]?
    let isComplete = false

    init(audioPath: String, byteCount: Int, unwritten: [UInt8]) {
      (self.audioPath, self.byteCount, self.unwritten) = (audioPath, byteCount, unwritten)
    }

    func append(_ bytes: UnsafeRawBufferPointer) {}
    func note(target: CapturedFocus?, engine: EngineKind?) {}
    func close(_ fate: RecordingFate) {}
  }

  /// Whether a process lives.
  private func lives(_ name: String) -> Bool {
    let text = String(decoding: contents(name), as: UTF8.self).filter(\.isNumber)
    guard let number = Int32(text), kill(number, 0) == 0 else { return false }
    // A zombie that its new parent has not looked at yet is dead.
    let status = String(decoding: TestFile.bytes("/proc/\(number)/stat") ?? [], as: UTF8.self)
    return !status.contains(") Z")
  }

  @Test("at its time limit the program and all it started are ended, also what ignores SIGTERM")
  func timeLimit() async throws {
    let engine = try engine(
      "trap '' TERM; (trap '' TERM; echo $BASHPID; sleep 600) & echo $! > '\(scratch.path)/child'; wait",
      limit: .milliseconds(200))
    let error = await error(engine)
    #expect(error?.code == CommandFault.timedOut.rawValue)
    #expect(error?.message.contains("BlurtEngineCommandSeconds") == true)
    #expect(await eventually { !lives("child") })
  }

  @Test("T-77 a cancel ends the program and all it started at once")
  func cancel() async throws {
    let engine = try engine("sleep 600 & echo $! > '\(scratch.path)/child'; wait", limit: .seconds(600))
    let feed = feed()
    let task = Task { try await engine.transcribe(feed, sampleRate: 16_000, context: nil) }
    #expect(await eventually { lives("child") })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await eventually { !lives("child") })
  }

  @Test("a program that does not read its input, or leaves one behind that holds its output, is no failure")
  func careless() async throws {
    #expect(try await transcribe(try engine("echo yes"), feed(2_000_000)).text == "yes")
    let start = ContinuousClock.now
    #expect(try await transcribe(try engine("sleep 60 & echo done")).text == "done")
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test("a program that is missing, or prints without end, is told; nothing is lost")
  func broken() async throws {
    let missing = CommandTranscriber(
      settings: .init(command: { ["/nowhere/program"] }, limit: { .seconds(1) }), environment: [:])
    let fault = await #expect(throws: UnderlyingError.self) { try await transcribe(missing) }
    #expect(fault?.code == CommandFault.notStarted.rawValue && fault?.message.contains("/nowhere/program") == true)
    let endless = await error(try engine("head -c 1100000 /dev/zero | tr '\\0' x"))
    #expect(endless?.code == CommandFault.outputTooLong.rawValue)
    let unset = CommandTranscriber(settings: .init(command: { [] }, limit: { .seconds(1) }), environment: [:])
    await #expect(throws: EngineChoice.commandIsNotSet) { try await transcribe(unset) }
  }

  @Test("S-65 a clip under the floor runs no program")
  func floor() async throws {
    let engine = try engine("touch '\(scratch.path)/ran'")
    await #expect(throws: ClipBelowFloor.self) { try await transcribe(engine, feed(3_198)) }
    #expect(contents("ran") == [] && access(scratch.path + "/ran", F_OK) != 0)
  }

  @Test("a program is an absolute path or a name in PATH, and must be executable")
  func finding() throws {
    try scratch.write("", to: "plain", mode: 0o644)
    let environment = ["PATH": "/usr/bin:/bin"]
    #expect(CommandTranscriber.find("sh", environment: environment)?.hasSuffix("/sh") == true)
    for name in ["no-such-program", "./sh", "bin/sh", "/bin", scratch.path + "/plain"] {
      #expect(CommandTranscriber.find(name, environment: environment) == nil, "\(name)")
    }
  }
}
