import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("ResetSteps", .timeLimit(.minutes(1))) struct ResetStepsTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func run(_ steps: InstallReset.Step...) async -> [InstallReset.Outcome] {
    await InstallReset(steps: steps).run().findings.map(\.outcome)
  }

  private func exists(_ name: String) -> Bool {
    var found = stat()
    return lstat(scratch.path + "/" + name, &found) == 0
  }

  private func survivor(_ outcomes: [InstallReset.Outcome]) -> String? {
    if case .survived(let message)? = outcomes.first { message } else { nil }
  }

  // MARK: Settings

  @Test("P-61 Y-81 every key of the roster and everything else is gone, and the defaults hold at once")
  func settings() async throws {
    let roster = SettingsKey.allCases.map { "\"\($0.name())\": \"offline\"" }
    let path = scratch.path + "/settings.json"
    let file = SettingsFile(path: path)
    let settings = Settings(backing: file)
    try scratch.write("{" + (roster + ["\"Other\": 1"]).joined(separator: ", ") + "}", to: "settings.json")
    #expect(settings.engine == .offline)
    #expect(file.value(forKey: "Other") == .number(1))
    #expect(await run(ResetSteps.settings(path)) == [.removed(nil)])
    for key in SettingsKey.allCases.map({ $0.name() }) + ["Other"] { #expect(file.value(forKey: key) == nil) }
    #expect(settings.engine == nil)
    #expect(!exists("settings.json"))
    #expect(await run(ResetSteps.settings(path)) == [.removed(nil)])
  }

  @Test("P-61 a broken file goes as well, and the problem with it")
  func brokenFile() async throws {
    let file = SettingsFile(path: scratch.path + "/settings.json")
    try scratch.write("{", to: "settings.json")
    #expect(file.problem != nil)
    #expect(await run(ResetSteps.settings(file.path)) == [.removed(nil)])
    #expect(file.problem == nil)
  }

  @Test("P-61 a link is removed and what it points to stays")
  func link() async throws {
    try scratch.write("{}", to: "target")
    symlink(scratch.path + "/target", scratch.path + "/settings.json")
    #expect(await run(ResetSteps.settings(scratch.path + "/settings.json")) == [.removed(nil)])
    #expect(exists("target") && !exists("settings.json"))
  }

  @Test("P-61 P-65 a settings file that cannot be removed is named with the command that does")
  func settingsSurvive() async throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/settings.json/x", withIntermediateDirectories: true)
    let message = survivor(await run(ResetSteps.settings(scratch.path + "/settings.json")))
    #expect(message?.contains("rm \(scratch.path)/settings.json") == true)
  }

  @Test("P-10 P-66 copies of broken settings stay and are told of; without any there is no step")
  func brokenCopies() async throws {
    let path = scratch.path + "/settings.json"
    #expect(await run(ResetSteps.brokenSettings(path)) == [])
    try scratch.write("{", to: "settings.json.broken-2")
    try scratch.write("{", to: "settings.json.broken")
    try scratch.write("{", to: "settings.json")
    guard case .information(let message)? = await run(ResetSteps.brokenSettings(path)).first else {
      Issue.record("no information")
      return
    }
    #expect(message.hasSuffix("\(path).broken, \(path).broken-2"))
    #expect(exists("settings.json.broken") && exists("settings.json.broken-2"))
  }

  // MARK: The key

  /// A `secret-tool` with one secret, which notes what it was asked.
  private func secretTool(_ clear: String = "/bin/rm -f \"$HOME/secret\"") throws -> [String: String] {
    try FileManager.default.createDirectory(atPath: scratch.path + "/bin", withIntermediateDirectories: true)
    try scratch.write(
      """
      #!/bin/sh
      echo "$*" >> "$HOME/asked"
      case $1 in
      search)
        [ -f "$HOME/secret" ] || exit 0; read -r line < "$HOME/secret" || :
        printf '[/org/freedesktop/secrets/collection/login/1]\\nlabel = x\\nsecret = %s\\n' "$line" ;;
      clear) \(clear) ;;
      esac
      """, to: "bin/secret-tool", mode: 0o755)
    return ["PATH": scratch.path + "/bin", "HOME": scratch.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
  }

  private func source(_ environment: [String: String] = [:], service: String = "blurt") -> APIKeySource {
    APIKeySource(environment: environment, folder: scratch.path, names: .assemblyai(service: service))
  }

  @Test("P-62 the key file is removed and the key forgotten; a second reset is clean")
  func keyFile() async throws {
    try scratch.write("the-key", to: "api-key")
    let source = source()
    #expect(source.current == "the-key")
    for _ in 0..<2 {
      #expect(await run(ResetSteps.apiKey { source.removeStored() }) == [.removed(nil)])
      #expect(source.current == nil && source.problem == nil && !exists("api-key"))
    }
    try scratch.write("another", to: "api-key")
    #expect(source.current == "another")
  }

  @Test("P-62 a key file that was refused is removed too")
  func looseKeyFile() async throws {
    try scratch.write("the-key", to: "api-key", mode: 0o644)
    let source = source()
    #expect(source.current == nil && source.problem != nil)
    #expect(await run(ResetSteps.apiKey { source.removeStored() }) == [.removed(nil)])
    #expect(source.problem == nil && !exists("api-key"))
  }

  @Test("P-56 P-59 P-62 the Secret Service is cleared under the identity's own name, and the key forgotten")
  func secretService() async throws {
    let environment = try secretTool()
    try scratch.write("stored-key", to: "secret")
    let source = source(environment, service: "blurt-dev")
    _ = source.read()
    #expect(source.current == "stored-key")
    #expect(await run(ResetSteps.apiKey { source.removeStored() }) == [.removed(nil)])
    #expect(source.current == nil && !exists("secret"))
    let asked = try String(contentsOfFile: scratch.path + "/asked", encoding: .utf8)
    #expect(asked.contains("clear service blurt-dev\n"))
    #expect(asked.split(separator: "\n").allSatisfy { $0.hasSuffix(" service blurt-dev") })
  }

  @Test("P-62 P-65 a Secret Service that keeps the key is named with the command, and no word of the key")
  func secretServiceKeeps() async throws {
    let environment = try secretTool("exit 0")
    try scratch.write("stored-key", to: "secret")
    let source = source(environment)
    _ = source.read()
    let message = survivor(await run(ResetSteps.apiKey { source.removeStored() }))
    #expect(message?.contains("secret-tool clear service blurt") == true)
    #expect(message?.contains("stored-key") == false)
    #expect(source.current == nil)
  }

  @Test("P-62 an answer of the Secret Service that comes after the reset brings no key back")
  func secretServiceLate() async throws {
    let environment = try secretTool()
    try scratch.write("stored-key", to: "secret")
    mkfifo(scratch.path + "/gate", 0o600)
    // The lookup holds the key already when the reset comes.
    try scratch.write(
      """
      #!/bin/sh
      case $1 in
      search)
        [ -f "$HOME/secret" ] || exit 0
        read -r line < "$HOME/secret" || :
        if [ ! -f "$HOME/asked" ]; then : > "$HOME/asked"; read -r go < "$HOME/gate" || :; fi
        printf '[/1]\\nsecret = %s\\n' "$line" ;;
      clear) /bin/rm -f "$HOME/secret" ;;
      esac
      """, to: "bin/secret-tool", mode: 0o755)
    let source = source(environment)
    source.askIfOpen()
    #expect(await eventually { exists("asked") })
    // T-110: one lock, so the removal has its turn after the answer.
    let removal = Task { try await Blocking.run(name: "removal") { source.removeStored() } }
    let gate = open(scratch.path + "/gate", O_WRONLY)
    write(gate, "go\n", 3)
    close(gate)
    let survivors = try await removal.value
    #expect(survivors == [])
    #expect(source.current == nil)
  }

  @Test(
    "P-62 P-65 what the daemon was started with survives, is named with what to do, and the key file goes all the same")
  func givenKey() async throws {
    try scratch.write("credential-key", to: "assemblyai-api-key")
    for (environment, mention) in [
      (["ASSEMBLYAI_API_KEY": "env-key"], "unset-environment ASSEMBLYAI_API_KEY"),
      (["CREDENTIALS_DIRECTORY": scratch.path], "LoadCredential="),
    ] {
      try scratch.write("the-key", to: "api-key")
      let source = source(environment)
      let message = survivor(await run(ResetSteps.apiKey { source.removeStored() }))
      #expect(message?.contains(mention) == true)
      for key in ["env-key", "credential-key", "the-key"] { #expect(message?.contains(key) == false) }
      #expect(!exists("api-key"))
      #expect(source.current != nil)
    }
  }

  // MARK: The rest

  @Test("P-64 S-105 P-65 both logs go; one that stays is named, without stopping the other")
  func logs() async throws {
    let log = DeveloperLog(folder: scratch.path + "/logs", home: scratch.path, isOn: { true })
    #expect(await run(ResetSteps.logs(log)) == [.removed(nil)])
    log.append(
      DeveloperLogLine(DictationFailure(error: .apiKeyMissing, dictation: 1, context: nil, at: SessionRig.now)))
    #expect(await run(ResetSteps.logs(log)) == [.removed(nil)])
    #expect(!exists("logs"))
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/logs/dictations.jsonl", withIntermediateDirectories: true)
    try scratch.write("", to: "logs/errors.jsonl")
    let message = survivor(await run(ResetSteps.logs(log)))
    #expect(message?.contains("~/logs/dictations.jsonl") == true)
    #expect(!exists("logs/errors.jsonl"))
  }

  @Test("a reset removes every recording but the one in progress, also sound without a record")
  func recordings() async throws {
    let spool = RecordingSpool(directory: scratch.path + "/spool")
    let sound = [UInt8](repeating: 1, count: 6_400)
    for _ in 0..<3 {
      let kept = try #require(spool.begin(dictation: 1))
      sound.withUnsafeBytes { kept.append($0) }
      kept.close(.blank)
    }
    let lost = try #require(spool.list().first)
    unlink(scratch.path + "/spool/\(lost.id).json")
    let live = try #require(spool.begin(dictation: 2))
    sound.withUnsafeBytes { live.append($0) }
    #expect(await run(ResetSteps.recordings([spool], folder: scratch.path)) == [.removed(nil)])
    #expect(spool.list().map(\.id) == [live.id])
    #expect(FileManager.default.contents(atPath: live.audioPath)?.count == sound.count)
    live.close(.blank)
    #expect(await run(ResetSteps.recordings([spool], folder: scratch.path)) == [.removed(nil)])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/spool") == [])
  }

  @Test("P-65 recordings that cannot be removed are counted and their folder is named")
  func recordingsSurvive() async throws {
    let spool = RecordingSpool(directory: scratch.path + "/spool")
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/spool/20260131T101500.042Z.pcm", withIntermediateDirectories: true)
    let message = survivor(await run(ResetSteps.recordings([spool], folder: scratch.path + "/spool")))
    #expect(message?.contains("1 kept recordings") == true && message?.contains(scratch.path) == true)
  }

  @Test("P-66 the readiness record goes, and is no failure where there is none")
  func readiness() async throws {
    try scratch.write("{}", to: "readiness.json")
    for _ in 0..<2 {
      #expect(await run(ResetSteps.readiness(scratch.path + "/readiness.json")) == [.removed(nil)])
      #expect(!exists("readiness.json"))
    }
  }

  @Test(
    "P-63 P-66 Y-78 the udev rule and the group are told as information, each with its command; without them nothing is"
  )
  func permissions() async throws {
    let folders = ["/nonexistent", scratch.path]
    #expect(await run(ResetSteps.permissions(ruleFolders: folders, isInGroupInput: { false })) == [])
    try scratch.write("", to: ResetSteps.ruleName)
    let both = await run(ResetSteps.permissions(ruleFolders: folders, isInGroupInput: { true }))
    guard case .information(let message)? = both.first, both.count == 1 else {
      Issue.record("\(both)")
      return
    }
    #expect(message.contains("sudo rm \(scratch.path)/70-blurt-uaccess.rules"))
    #expect(message.contains("gpasswd --delete"))
    // Whatever this machine has, asking is no failure.
    _ = ResetSteps.isInGroupInput()
  }

  @Test("P-66 the rule that is told of is the one that is shipped, and where it is installed")
  func shippedRule() throws {
    let root = ProtocolTranscript.root()
    #expect(FileManager.default.fileExists(atPath: "\(root)/systemd/\(ResetSteps.ruleName)"))
    let script = try String(contentsOfFile: root + "/scripts/install.sh", encoding: .utf8)
    for folder in ["/etc/udev/rules.d", "/usr/lib/udev/rules.d"] {
      #expect(script.contains(folder) && ResetSteps.ruleFolders.contains(folder))
    }
  }
}
