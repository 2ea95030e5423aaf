package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// Speech to text by a program of the user's: a WAV file on its standard input, the text on its standard output.
///
/// No shell is involved. The program runs once for each recording, in a process group of its own that is ended as a whole
/// at a cancel and at the time limit. Its environment is the daemon's without anything that holds a key, and
/// `BLURT_KEY_TERMS`: the user's words, one a line.
package struct CommandTranscriber: TranscriberProtocol {
  /// What is read at each recording.
  package struct Settings: Sendable {
    /// The program and its arguments.
    package var command: @Sendable () -> [String]
    /// How long it may take beyond the recording's length.
    package var limit: @Sendable () -> Duration

    package init(command: @escaping @Sendable () -> [String], limit: @escaping @Sendable () -> Duration) {
      self.command = command
      self.limit = limit
    }
  }

  /// The most bytes of text: 20 minutes of speech have about 20 kB.
  package static let outputLimit = 1 << 20
  /// The most characters of its complaint that are shown.
  package static let complaintLimit = 500
  /// The environment variable with the key terms.
  package static let keyTermsVariable = "BLURT_KEY_TERMS"

  private let settings: Settings
  private let environment: [String: String]

  package init(settings: Settings, environment: [String: String]) {
    self.settings = settings
    self.environment = Self.childEnvironment(environment)
  }

  /// What a child may know: no key, and nothing by which a service manager would take it for the daemon.
  package static func childEnvironment(_ environment: [String: String]) -> [String: String] {
    let kept =
      APIKeyNames.secretVariables + [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS",
        "LISTEN_PID", "LISTEN_FDNAMES", "BLURT_SOCKET",
      ]
    return environment.filter { !kept.contains($0.key) }
  }

  /// The program's path; nil where nothing executable has that name.
  package static func find(_ name: String, environment: [String: String]) -> String? {
    if name.contains("/") { return name.hasPrefix("/") && isExecutable(name) ? name : nil }
    return HelperProgram.find(name, path: environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
  }

  private static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  package func transcribe(
    _ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?
  ) async throws -> Transcript {
    var byteCount = 0
    var bytes: [UInt8] = []
    for await frame in feed.frames {
      byteCount += frame.count
      if feed.recording == nil { bytes += frame }
    }
    // The feed also ends when this task is cancelled.
    try Task.checkCancellation()
    let recording = feed.recording
    // A gate before this engine may have read the frames: the recording has them all.
    byteCount = max(byteCount, recording?.availableByteCount ?? 0)
    guard byteCount >= SyncSTTLimits.minimumByteCount else { throw ClipBelowFloor() }
    let written = min(byteCount, recording?.byteCount ?? 0)
    // What found no room in the file is in memory.
    let rest = recording.map(\.unwritten) ?? bytes
    guard let rest, written + rest.count >= byteCount else {
      throw UnderlyingError(
        domain: .transcription, code: TranscriptionFault.noRecording.rawValue,
        message: "The recording could not be written down in full. Free space in the runtime folder.")
    }
    let command = settings.command()
    guard let name = command.first else { throw EngineChoice.commandIsNotSet }
    guard let program = Self.find(name, environment: environment) else {
      throw Self.fault(
        .notStarted,
        "The program \(name) of the engine command is missing or not executable: blurtctl settings set "
          + "EngineCommand names another.")
    }
    let terms = KeyTerms.fit(context?.keyTerms ?? [])
    let length = Duration.milliseconds(SyncSTTLimits.milliseconds(ofByteCount: byteCount, sampleRate: sampleRate))
    let run = Run(
      program: program, arguments: Array(command.dropFirst()),
      environment: terms.isEmpty
        ? environment : environment.merging([Self.keyTermsVariable: terms.joined(separator: "\n")]) { $1 },
      limit: settings.limit() + length,
      head: WAVHeader.make(sampleByteCount: byteCount, sampleRate: sampleRate),
      path: recording?.audioPath, fileByteCount: written, tail: Array(rest.prefix(byteCount - written)))
    return Transcript(text: try await text(run), engine: .command, keyTerms: terms)
  }

  /// One run of the program.
  private struct Run: Sendable {
    let program: String
    let arguments: [String]
    let environment: [String: String]
    let limit: Duration
    let head: [UInt8]
    let path: String?
    let fileByteCount: Int
    let tail: [UInt8]

    /// Blocks until it has ended.
    func result(cancelled: Int32) -> Result<HelperProgram.Result, Errno> {
      do throws(Errno) {
        // A file, so that the program may seek in it; memory, so that nothing is on a disk.
        let input = try MemoryFile.make(head, appending: path, byteCount: fileByteCount, tail: tail)
        return .success(
          try HelperProgram.run(
            program, arguments: arguments, environment: environment, limit: limit,
            outputLimit: CommandTranscriber.outputLimit, input: input.raw, cancelled: cancelled))
      } catch {
        return .failure(error)
      }
    }
  }

  private func text(_ run: Run) async throws -> String {
    let result: HelperProgram.Result
    do throws(Errno) {
      let wakeup = try Wakeup()
      let finished = await withTaskCancellationHandler {
        await Self.finished(run, wakeup)
      } onCancel: {
        wakeup.signal()
      }
      result = try finished.get()
    } catch {
      throw Self.fault(.notStarted, "The program \(run.program) could not be started (\(error)).")
    }
    try Task.checkCancellation()
    let complaint = Self.complaint(result.errorTail)
    if let signal = result.signal {
      throw Self.fault(.crashed, "The program \(run.program) was ended by signal \(signal).\(complaint) \(Self.kept)")
    }
    guard let status = result.status else {
      throw Self.fault(
        .timedOut,
        "The program \(run.program) was ended after \(run.limit.components.seconds) s, its time limit "
          + "(BlurtEngineCommandSeconds).\(complaint) \(Self.kept)")
    }
    guard status == 0 else {
      throw UnderlyingError(
        domain: .command, code: Int(status),
        message: "The program \(run.program) ended with status \(status).\(complaint) \(Self.kept)")
    }
    guard !result.isCutShort else {
      throw Self.fault(
        .outputTooLong,
        "The program \(run.program) printed more than \(Self.outputLimit >> 10) KiB: it must print the "
          + "text alone. \(Self.kept)")
    }
    return String(decoding: result.output, as: UTF8.self).trimmingWhitespace()
  }

  private static func finished(_ run: Run, _ wakeup: Wakeup) async -> Result<HelperProgram.Result, Errno> {
    do throws(Errno) {
      return try await Blocking.run(name: "blurt-command") { run.result(cancelled: wakeup.descriptor) }
    } catch {
      return .failure(error)
    }
  }

  private static let kept = "The recording is kept: `blurtctl retry` sends it again."

  private static func fault(_ fault: CommandFault, _ message: String) -> UnderlyingError {
    UnderlyingError(domain: .command, code: fault.rawValue, message: message)
  }

  /// The last line it wrote to its standard error, as a sentence; nothing where there is none.
  static func complaint(_ bytes: [UInt8]) -> String {
    let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { $0.contains { !$0.isWhitespace } }
    let shown = (line ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    let text = String(String.UnicodeScalarView(shown)).trimmingWhitespace().prefix(complaintLimit)
    return text.isEmpty ? "" : " It said: \(text)" + (".!?".contains(text.last ?? ".") ? "" : ".")
  }
}
