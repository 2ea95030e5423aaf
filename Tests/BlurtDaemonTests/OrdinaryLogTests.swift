import BlurtCapture
import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

/// What the journal gets. Serialized: each test has standard error to itself.
@Suite("The ordinary log", .serialized, .timeLimit(.minutes(1))) struct OrdinaryLogTests {
  private static let key = "sk-Quagga-0123456789"
  private static let words = "Zanzibar seventeen okapis"

  /// With everything written that any level would write.
  private func journal(_ body: () async throws -> Void) async throws -> String {
    let level = Log.level
    Log.level = .debug
    defer { Log.level = level }
    return try await StandardError.captured(body)
  }

  @Test("B-52 Y-89 at debug level there is no key and no word that was said, read or pasted, whatever happens")
  func nothingPrivate() async throws {
    let scratch = try ScratchFolder()
    let log = try await journal {
      let hub = EventHub()
      let developerLog = DeveloperLog(folder: scratch.path + "/state", home: nil, isOn: { true })
      let rig = SessionRig { dependencies in
        dependencies.onDelivery = { hub.delivered($0) }
        dependencies.onEnd = { hub.ended($0, $1) }
        dependencies.onFailure = {
          hub.failed($0)
          developerLog.append(DeveloperLogLine($0))
        }
        dependencies.onDictationLogged = { developerLog.append(DeveloperLogLine($0)) }
      }
      let observer = Task { for await change in rig.session.phaseStream() { hub.phase(change) } }
      defer { observer.cancel() }
      rig.transcriber.script { $0.text = Self.words }
      rig.focus.script {
        $0.field = FocusedFieldContext(
          windowTitle: "Title Okapi", fieldLabel: "Label Okapi", priorText: "Prior Okapi", selectedText: "Chosen Okapi")
      }
      rig.keyTerms.value = ["Term Okapi"]
      for _ in 0..<2 { #expect(await rig.dictate() == .pasted) }
      rig.injector.script { $0.error = BlurtError.noEditableTarget }
      _ = await rig.dictate()
      rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 500, message: "The service is down.") }
      _ = await rig.dictate()
      _ = await rig.startRecording()
      await rig.session.cancel()
      // Logs that cannot be written are named, and nothing of them is.
      await developerLog.settle(atMost: .seconds(30))
      try? FileManager.default.removeItem(atPath: scratch.path + "/state")
      try scratch.write("", to: "state")
      rig.transcriber.script { $0.error = nil }
      _ = await rig.dictate()
      await developerLog.settle(atMost: .seconds(30))

      // Every source of a key, usable and not.
      try scratch.write(Self.key, to: "api-key", mode: 0o644)
      let source = APIKeySource(environment: [:], folder: scratch.path)
      #expect(source.current == nil)
      chmod(scratch.path + "/api-key", 0o600)
      #expect(source.current == Self.key)
      let given = APIKeySource(environment: ["ASSEMBLYAI_API_KEY": Self.key], folder: scratch.path + "/none")
      #expect(given.current == Self.key)
      // A settings file that holds what it should not, broken and whole.
      let settings = SettingsFile(path: scratch.path + "/settings.json")
      for text in ["{\"BlurtKeyTerms\": \"\(Self.words)\", \(Self.key)", "{\"BlurtEngineKind\": \"\(Self.key)\"}"] {
        try scratch.write(text, to: "settings.json")
        _ = Settings(backing: settings).engine
        _ = settings.problem
      }
      let router = CommandRouter(
        session: rig.session,
        services: [
          .last: LastCommand(hub.last),
          .reset: ResetCommand(
            steps: [
              ResetSteps.apiKey { given.removeStored() }, ResetSteps.texts { hub.last.forget() },
            ],
            phase: { rig.session.phaseChange }),
        ])
      for action in [ClientCommand.Action.last, .reset, .release, .cancel] {
        await withCheckedContinuation { continuation in
          router.handle(
            ClientCommand(id: "x", action), from: ClientIdentity(connection: 1, processID: 1, userID: 0)
          ) { _ in continuation.resume() }
        }
      }
      Log.debug("the end")
    }
    // It was written down at all.
    #expect(log.contains("a dictation failed") && log.contains("text is on its way") && log.contains("the end"))
    #expect(log.contains("dictations.jsonl") && !log.contains(scratch.path + "/state"))
    for secret in [Self.key, "Quagga", "Zanzibar", "okapi", "Okapi", "sent prompt"] {
      #expect(!log.contains(secret), "\(secret): \(log)")
    }
  }

  @Test("S-103 a line that cannot be written is reported with the file's name and the reason, and no path")
  func writeFailure() async throws {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/logs/errors.jsonl", withIntermediateDirectories: true)
    let line = DeveloperLogLine(
      DictationFailure(error: .apiKeyMissing, dictation: 1, context: nil, at: SessionRig.now))
    let log = try await journal {
      for folder in [scratch.path + "/logs", nil] {
        let developerLog = DeveloperLog(folder: folder, home: scratch.path, isOn: { true })
        developerLog.append(line)
        await developerLog.settle(atMost: .seconds(30))
      }
    }
    let lines = log.split(separator: "\n").filter { $0.contains("developer mode") }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains("file=errors.jsonl") && $0.contains("reason=") })
    #expect(!log.contains(scratch.path))
  }
}
