import BlurtEngine
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("DeveloperLog", .timeLimit(.minutes(1))) struct DeveloperLogTests {
  private let scratch: ScratchFolder
  private let isOn = Box(true)
  private let asked = Box(0)

  init() throws { scratch = try ScratchFolder() }

  private var folder: String { scratch.path + "/state/blurt" }
  private var dictations: String { folder + "/dictations.jsonl" }
  private var errors: String { folder + "/errors.jsonl" }

  private func make() -> DeveloperLog {
    DeveloperLog(folder: folder, home: scratch.path) { [isOn, asked] in
      asked.update { $0 += 1 }
      return isOn.value
    }
  }

  private func mode(_ path: String) -> UInt32 {
    var found = stat()
    return lstat(path, &found) == 0 ? found.st_mode & 0o7777 : 0
  }

  private func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func spoken(_ text: String) -> DeveloperLogLine {
    DeveloperLogLine(
      DictationLogEntry(
        dictation: 1, transcript: Transcript(text: text, engine: .offline), context: TranscriptionContext(),
        at: SessionRig.now))
  }

  private var failed: DeveloperLogLine {
    DeveloperLogLine(DictationFailure(error: .apiKeyMissing, dictation: 1, context: nil, at: SessionRig.now))
  }

  private func line(_ spoken: String) -> String {
    #"{"transcript":""# + spoken + #"","ts":"2023-11-14T22:13:20.000Z"}"# + "\n"
  }

  private func settle(_ log: DeveloperLog) async { await log.settle(atMost: .seconds(30)) }

  // MARK: The switch

  @Test("S-98 P-83 P-15 Y-86 while developer mode is off no file and no folder is made, and the event is not looked at")
  func off() async throws {
    let log = make()
    isOn.value = false
    let looked = Box(0)
    for _ in 0..<3 {
      log.append(
        { () -> DeveloperLogLine in
          looked.update { $0 += 1 }
          return failed
        }())
    }
    await settle(log)
    #expect(looked.value == 0)
    #expect(asked.value == 3)
    #expect(names(scratch.path) == [])
  }

  @Test("S-98 P-83 the switch is read for each event; turned off it stops the writing and removes nothing")
  func toggled() async {
    let log = make()
    for (index, isOn) in [true, false, true, false].enumerated() {
      self.isOn.value = isOn
      log.append(spoken("\(index)"))
      await settle(log)
    }
    #expect(text(dictations) == line("0") + line("2"))
    #expect(asked.value == 4)
  }

  @Test("P-15 P-83 the setting is BlurtDeveloperMode, off unless it is true")
  func setting() throws {
    let file = SettingsFile(path: scratch.path + "/settings.json")
    let settings = Settings(backing: file)
    #expect(!settings.developerMode)
    for (text, isOn) in [("true", true), ("false", false), ("\"yes\"", false), ("1", false)] {
      try scratch.write("{\"BlurtDeveloperMode\": \(text)}", to: "settings.json")
      #expect(settings.developerMode == isOn, "\(text)")
    }
  }

  // MARK: The files

  @Test("S-98 S-106 a file is made with its first line, 0600 in a folder of 0700, whatever the umask")
  func modes() async {
    let log = make()
    log.append(failed)
    await settle(log)
    #expect(names(folder) == ["errors.jsonl"])
    #expect(mode(folder) == 0o700)
    #expect(mode(errors) == 0o600)
    log.append(spoken("a"))
    await settle(log)
    #expect(names(folder) == ["dictations.jsonl", "errors.jsonl"])
    #expect(mode(dictations) == 0o600)
  }

  @Test("S-106 a folder or a file that others could read is closed to them")
  func loose() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    chmod(folder, 0o755)
    try scratch.write("old\n", to: "state/blurt/dictations.jsonl", mode: 0o644)
    let log = make()
    log.append(spoken("a"))
    await settle(log)
    #expect(mode(folder) == 0o700)
    #expect(mode(dictations) == 0o600)
    #expect(text(dictations) == "old\n" + line("a"))
  }

  @Test("S-102 lines stand in the order of their events, after those that were there")
  func order() async {
    let first = make()
    for number in 0..<50 { first.append(spoken("\(number)")) }
    await settle(first)
    let second = make()
    for number in 50..<400 { second.append(spoken("\(number)")) }
    await settle(second)
    #expect(text(dictations) == (0..<400).map { line("\($0)") }.joined())
  }

  @Test("S-101 S-102 half a line that a power cut left stays a line of its own")
  func tornLine() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try scratch.write("{\"transcript\":\"ha", to: "state/blurt/dictations.jsonl")
    let log = make()
    log.append(spoken("a"))
    log.append(spoken("b"))
    await settle(log)
    #expect(text(dictations) == "{\"transcript\":\"ha\n" + line("a") + line("b"))
  }

  @Test(
    "S-103 S-106 a symbolic link is followed neither as the folder nor as a file, and later lines are written again")
  func links() async throws {
    try FileManager.default.createDirectory(atPath: scratch.path + "/elsewhere", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: scratch.path + "/state", withIntermediateDirectories: true)
    symlink(scratch.path + "/elsewhere", folder)
    let log = make()
    log.append(spoken("a"))
    await settle(log)
    #expect(names(scratch.path + "/elsewhere") == [])
    unlink(folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    symlink(scratch.path + "/elsewhere/target", dictations)
    log.append(spoken("b"))
    await settle(log)
    #expect(names(scratch.path + "/elsewhere") == [])
    unlink(dictations)
    log.append(spoken("c"))
    await settle(log)
    #expect(text(dictations) == line("c"))
  }

  @Test("S-103 a pipe under the file's name holds nobody up")
  func pipe() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    mkfifo(dictations, 0o600)
    let log = make()
    log.append(spoken("a"))
    log.append(failed)
    await settle(log)
    #expect(text(errors)?.hasSuffix("\n") == true)
  }

  @Test("S-106 Y-117 the path that is shown has the home folder as ~ and is that of the file")
  func displayPath() async throws {
    let log = make()
    log.append(failed)
    await settle(log)
    let shown = try #require(log.displayPath(of: .errors))
    #expect(shown == "~/state/blurt/errors.jsonl")
    #expect(text(scratch.path + shown.dropFirst()) != nil)
    #expect(DeveloperLog(folder: nil, home: nil, isOn: { true }).displayPath(of: .errors) == nil)
  }

  @Test(
    "S-106 only whole components are abbreviated",
    arguments: [
      ("/home/ann/x", "/home/ann", "~/x"), ("/home/ann/x", "/home/ann/", "~/x"), ("/home/ann", "/home/ann", "~"),
      ("/home/anna/x", "/home/ann", "/home/anna/x"), ("/x", "/", "/x"), ("/x", "", "/x"), ("/x", "x", "/x"),
      ("/x", nil, "/x"), ("/srv/home/ann", "/home/ann", "/srv/home/ann"),
    ] as [(String, String?, String)])
  func abbreviation(path: String, home: String?, shown: String) {
    #expect(DisplayPath.abbreviated(path, home: home) == shown)
  }

  // MARK: Removal

  @Test("S-105 both files go, and the folder if nothing else lies in it; what is not there is removed")
  func removal() async throws {
    let log = make()
    try await log.removeStoredLogs()
    #expect(names(scratch.path) == [])
    log.append(failed)
    log.append(spoken("a"))
    // The lines that still wait are removed too.
    try await log.removeStoredLogs()
    #expect(names(scratch.path + "/state") == [])
    try await log.removeStoredLogs()

    log.append(failed)
    await settle(log)
    try scratch.write("mine", to: "state/blurt/notes.txt")
    try await log.removeStoredLogs()
    #expect(names(folder) == ["notes.txt"])
    log.append(spoken("b"))
    await settle(log)
    #expect(text(dictations) == line("b"))
    try await DeveloperLog(folder: nil, home: nil, isOn: { true }).removeStoredLogs()
  }

  @Test("S-105 one file that stays does not keep the other, and is told")
  func survivor() async throws {
    try FileManager.default.createDirectory(atPath: dictations + "/x", withIntermediateDirectories: true)
    let log = make()
    log.append(failed)
    await settle(log)
    await #expect(throws: (any Error).self) { try await log.removeStoredLogs() }
    #expect(names(folder) == ["dictations.jsonl"])
  }

  @Test("S-105 a link in a file's place is removed, not what it points to")
  func linkRemoved() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try scratch.write("mine", to: "target")
    symlink(scratch.path + "/target", errors)
    try await make().removeStoredLogs()
    #expect(text(scratch.path + "/target") == "mine")
    #expect(names(scratch.path + "/state") == [])
  }

  // MARK: A session

  /// A session whose host does what the daemon does with its reports.
  private func rig(_ log: DeveloperLog) -> SessionRig {
    SessionRig { dependencies in
      dependencies.onFailure = { log.append(DeveloperLogLine($0)) }
      dependencies.onDictationLogged = { log.append(DeveloperLogLine($0)) }
      dependencies.expandShortcuts = { $0.uppercased() }
    }
  }

  private func lineCount(_ path: String) -> Int { text(path)?.split(separator: "\n").count ?? 0 }

  @Test("S-73 S-99 the engine's own words are logged, with what was sent and read for them")
  func sessionDictation() async throws {
    let log = make()
    let rig = rig(log)
    rig.keyTerms.value = ["Ada"]
    #expect(await rig.dictate() == .pasted)
    await settle(log)
    #expect(
      text(dictations) == #"{"app":"Editor","field":"Body","keyterms":["Ada"],"prior":"Dear Ada,","#
        + #""stt_prompt":"sent prompt","transcript":"Hello there.","ts":"2023-11-14T22:13:20.000Z","window":"Letter"}"#
        + "\n")
    #expect(text(errors) == nil)
  }

  @Test("S-104 each failure is one line, a refusal included; cancels, silence and a fallback are none")
  func sessionFailures() async throws {
    let log = make()
    let rig = rig(log)
    rig.blocker.value = .apiKeyMissing
    _ = await rig.session.press()
    await settle(log)
    #expect(lineCount(errors) == 1)
    rig.blocker.value = nil

    rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 500, message: "broken") }
    _ = await rig.dictate()
    await settle(log)
    #expect(lineCount(errors) == 2)
    #expect(text(errors)?.contains(#""kind":"sttFailed""#) == true)
    #expect(text(errors)?.contains("Dear Ada") == false)
    #expect(text(dictations) == nil)

    rig.transcriber.script {
      $0.error = nil
      $0.engine = .offline
      $0.fellBackFrom = .assemblyai
    }
    #expect(await rig.dictate() == .pasted)
    rig.transcriber.script { $0.text = "  " }
    #expect(await rig.dictate() == .idle)
    _ = await rig.startRecording()
    await rig.session.cancel()
    await settle(log)
    #expect(lineCount(errors) == 2)
    #expect(lineCount(dictations) == 1)
  }

  @Test("S-103 a disk that takes nothing changes no dictation")
  func unwritable() async throws {
    try scratch.write("a file where the folder should be", to: "state")
    let log = make()
    let rig = rig(log)
    #expect(await rig.dictate() == .pasted)
    #expect(rig.injector.inserts.count == 1)
    await settle(log)
    #expect(names(scratch.path) == ["state"])
  }
}
