import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

@testable import blurtctl

@Suite(.timeLimit(.minutes(1))) struct SettingsVerbTests {
  private static let entries = [
    SettingEntry(
      setting: "BlurtKeepAudio", type: "bool", value: true, defaultValue: true, isSet: false,
      summary: "Keep the sound of a dictation whose text was not delivered."),
    SettingEntry(
      setting: "BlurtOfflineIdleMinutes", type: "number", value: 5, defaultValue: 10, isSet: true,
      summary: "When the offline engine is stopped.", minimum: 0, maximum: 60, unit: "minutes"),
    SettingEntry(
      setting: "BlurtMicDeviceUID", type: "string", value: .null, defaultValue: .null, isSet: false,
      summary: "The microphone."),
    SettingEntry(
      setting: "BlurtPasteChords", type: "list", value: .array(["a", "b"]), defaultValue: .array([]), isSet: true,
      summary: "Chords.", problem: "The second one is not used."),
  ]

  private func with(
    _ onWrite: @escaping @Sendable (FakeDaemon, Int) -> Void = { _, _ in }, _ body: (FakeDaemon) async throws -> Void
  ) async throws {
    let daemon = try FakeDaemon(FakeDaemon.Script(settings: Self.entries, onWrite: onWrite))
    defer { daemon.stop() }
    try await body(daemon)
  }

  @Test(
    "Y-102 settings list has a row and its meaning for each that fit, a star at what is not the default, and the problems"
  )
  func list() async throws {
    try await with { daemon in
      for line in ["settings", "settings list"] {
        let run = await daemon.run(line, width: 60)
        #expect(run.status == .done)
        #expect(
          run.out == """
              KeepAudio           on
                Keep the sound of a dictation whose text was not
                delivered.
            * OfflineIdleMinutes  5 minutes
                When the offline engine is stopped.
              MicDeviceUID        (not set)
                The microphone.
            * PasteChords         ["a","b"]
                Chords.
                The second one is not used.

            """)
      }
      #expect(
        await daemon.run("settings list --names", terminal: false).out
          == Self.entries.map { $0.setting + "\n" }.joined())
      let json = await daemon.run("settings", terminal: false)
      #expect(json.out.hasPrefix(#"{"ack":{"#) && json.out.contains(#""setting":"BlurtKeepAudio""#))
    }
  }

  @Test("S-151 settings get prints the bare value, also into a pipe; the name may lack its prefix and its case")
  func get() async throws {
    try await with { daemon in
      for (name, out) in [
        ("BlurtOfflineIdleMinutes", "5\n"), ("offlineidleminutes", "5\n"), ("BLURTKEEPAUDIO", "true\n"),
        ("MicDeviceUID", ""), ("PasteChords", "[\"a\",\"b\"]\n"),
      ] {
        let run = await daemon.run("settings get \(name)", terminal: false)
        #expect(run.status == .done && run.out == out, "\(name)")
      }
      let json = await daemon.run("settings get KeepAudio --json")
      #expect(json.out.contains(#""settings":[{"default":true"#) && !json.out.contains("Idle"))
    }
  }

  @Test("Y-102 settings get tells a person also what the setting means, what it takes and its default")
  func getForPeople() async throws {
    try await with { daemon in
      #expect(
        await daemon.run("settings get OfflineIdleMinutes").out == """
          5
          When the offline engine is stopped.
          Takes:   a number from 0 to 60 minutes
          Default: 10 minutes

          """)
      #expect(
        await daemon.run("settings get MicDeviceUID").out.hasPrefix("(not set)\nThe microphone.\nTakes:   a text\n"))
      #expect(await daemon.run("settings get KeepAudio").out.contains("\nTakes:   on or off\nDefault: on\n"))
    }
    for value in [JSONValue.null, "", .array([]), .object([:])] {
      #expect(SettingText.shown(value, unit: nil) == "(not set)")
    }
    let choice = SettingEntry(
      setting: "X", type: "string", value: "a", defaultValue: "a", isSet: false, summary: "", choices: ["a", "b", "c"])
    #expect(SettingText.taken(choice) == "a, b or c")
  }

  @Test("S-151 an unknown setting ends with 1 and names the nearest")
  func unknown() async throws {
    try await with { daemon in
      for line in ["settings get KeepAudo", "settings set BlurtKeepAudo on", "settings reset keepaudo"] {
        let run = await daemon.run(line)
        #expect(run.status == .failed, "\(line)")
        #expect(run.err.contains("Did you mean \"BlurtKeepAudio\"?"))
      }
      let json = await daemon.run("settings get Dance --json")
      #expect(json.out.contains(#""reason":"unknownSetting""#))
      #expect(!daemon.commands.contains { $0.action.name == .set || $0.action.name == .unset })
    }
  }

  @Test("P-06 settings set reads a word by the type of the setting, and JSON where it is given")
  func set() async throws {
    for (name, word, value) in [
      ("BlurtKeepAudio", "off", false), ("BlurtKeepAudio", "YES", true), ("BlurtKeepAudio", "0", false),
      ("BlurtOfflineIdleMinutes", "20", 20), ("BlurtOfflineIdleMinutes", "-50", -50),
      ("BlurtOfflineIdleMinutes", "KEY_F13", "KEY_F13"), ("BlurtOfflineIdleMinutes", "\"KEY_F13\"", "KEY_F13"),
      ("BlurtMicDeviceUID", "hw:1", "hw:1"), ("BlurtMicDeviceUID", "true", "true"), ("BlurtMicDeviceUID", "12", "12"),
      ("BlurtMicDeviceUID", "\"a b\"", "a b"), ("BlurtMicDeviceUID", "", ""),
      ("BlurtPasteChords", "[{\"x\":1}]", .array([.object(["x": 1])])),
    ] as [(String, String, JSONValue)] {
      try await with { daemon in
        let run = await daemon.run(["settings", "set", name, word])
        #expect(run.status == .done, "\(name) \(word): \(run.err)")
        #expect(daemon.commands.last?.action == .set(setting: name, value: value, expected: nil), "\(word)")
        #expect(run.out.hasPrefix("\(name) is ") && run.out.hasSuffix(" now.\n"))
      }
    }
    try await with { daemon in
      for (name, word) in [("BlurtKeepAudio", "maybe"), ("BlurtPasteChords", "one"), ("BlurtPasteChords", "{}")] {
        let run = await daemon.run(["settings", "set", name, word])
        #expect(run.status == .usage && run.err.contains("takes"), "\(word)")
      }
      let refused = await daemon.run("settings set MicDeviceUID refused")
      #expect(refused.status == .failed && refused.err == "blurtctl: It takes a number from 0 to 60.\n")
    }
  }

  @Test("P-61 settings reset puts back one, or all that are stored, and asks before that")
  func reset() async throws {
    try await with { daemon in
      #expect(
        await daemon.run("settings reset OfflineIdleMinutes").out == "BlurtOfflineIdleMinutes is 10 minutes again.\n")
      #expect(daemon.value("BlurtOfflineIdleMinutes") == 10)
      for line in ["settings reset", "settings reset KeepAudio --all"] {
        #expect(await daemon.run(line).status == .usage)
      }
    }
    try await with { daemon in
      let refused = await daemon.run("settings reset --all")
      #expect(refused.status == .usage && refused.err.contains("--yes"))
      let no = Channel()
      no.send("n\n")
      let declined = await daemon.run("settings reset --all", input: no.reading, asks: true)
      #expect(declined.status == .failed && declined.err.contains("[y/N]"))
      #expect(daemon.value("BlurtOfflineIdleMinutes") == 5)
      let yes = Channel()
      yes.send("y\n")
      let done = await daemon.run("settings reset --all", input: yes.reading, asks: true)
      #expect(done.status == .done)
      #expect(done.out == "At their defaults again: BlurtOfflineIdleMinutes, BlurtPasteChords.\n")
      #expect(daemon.value("BlurtOfflineIdleMinutes") == 10)
      #expect(await daemon.run("settings reset --all --yes").out == "Every setting was at its default.\n")
    }
  }

  @Test("P-65 reset asks, prints each step, and ends with 1 when something survived")
  func resetEverything() async throws {
    for (state, status) in [(ResetStep.State.removed, ExitStatus.done), (.failed, .failed), (.information, .done)] {
      let steps = [ResetStep("settings", .removed), ResetStep("apiKey", state, "Look at the \u{1B}[1mstore.")]
      let daemon = try FakeDaemon(FakeDaemon.Script(steps: steps))
      defer { daemon.stop() }
      #expect(await daemon.run("reset", terminal: false).status == .usage)
      let end = Channel()
      end.end()
      #expect(await daemon.run("reset", input: end.reading, asks: true).status == .failed)
      #expect(!daemon.commands.contains { $0.action == .reset })
      for word in ["setting", "API key", "kept recordings", "remembered texts", "logs", "settings.json.broken"] {
        #expect(ResetVerb.question.contains(word))
        #expect(HelpText.text(for: .verb(.reset)).contains(word.split(separator: " ")[0]))
      }
      let run = await daemon.run("reset --yes")
      #expect(run.status == status)
      #expect(run.out.hasPrefix("settings: removed\napiKey: "))
      #expect(run.out.hasSuffix("Look at the ␛[1mstore.\n"))
      let json = await daemon.run("reset --yes --json")
      #expect(json.status == status && json.out.contains(#""steps":[{"#))
    }
  }

  @Test("S-146 a value that no request can hold is refused here, before the daemon would hang up")
  func tooLong() async throws {
    let list = SettingEntry(
      setting: "BlurtTextShortcuts", type: "list", value: .array([]), defaultValue: .array([]), isSet: false,
      summary: "", hasEntries: true)
    let daemon = try FakeDaemon(FakeDaemon.Script(settings: [list]))
    defer { daemon.stop() }
    let value = #"["\#(String(repeating: "x", count: 66_000))"]"#
    let run = await daemon.run(["settings", "set", "BlurtTextShortcuts", value])
    #expect(run.status == .failed && run.err.contains("65536 bytes") && run.err.contains("import"))
    #expect(!daemon.commands.contains { $0.action.name == .set })
  }
}
