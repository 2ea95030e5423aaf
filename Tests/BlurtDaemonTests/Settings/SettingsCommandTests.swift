import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("SettingsCommand", .timeLimit(.minutes(1))) struct SettingsCommandTests {
  private let folder: ScratchFolder
  private let file: SettingsFile
  private let service: SettingsCommand
  private let client = ClientIdentity(connection: 1, processID: 1, userID: 0)

  init() throws {
    folder = try ScratchFolder()
    file = SettingsFile(path: folder.path + "/settings.json")
    service = SettingsCommand(file)
  }

  private func ask(_ action: ClientCommand.Action) async -> CommandAck {
    await withCheckedContinuation { continuation in
      service.handle(ClientCommand(id: "x", action), from: client) { continuation.resume(returning: $0) }
    }
  }

  private func set(_ name: String, _ value: JSONValue, expected: JSONValue? = nil) async -> CommandAck {
    await ask(.set(setting: name, value: value, expected: expected))
  }

  private var text: String {
    FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  @Test("settings lists every setting with all that is needed to show and to change it")
  func list() async throws {
    try folder.write(#"{"BlurtOfflineIdleMinutes": 3, "Other": 1}"#, to: "settings.json")
    let ack = await ask(.settings(setting: nil))
    #expect(ack.result == .done)
    let entries = try #require(ack.settings)
    #expect(entries.map(\.setting) == SettingsKey.allCases.map { $0.name() }.sorted())
    #expect(
      entries.first { $0.setting == "BlurtOfflineIdleMinutes" }
        == SettingEntry(
          setting: "BlurtOfflineIdleMinutes", type: "number", value: 3, defaultValue: 10, isSet: true,
          summary: SettingsCatalogue.row(.offlineIdleMinutes).summary, minimum: 0, maximum: 1_440, unit: "minutes"))
    let engine = try #require(entries.first { $0.setting == "BlurtEngineKind" })
    #expect(engine.value == .null && engine.defaultValue == .null && !engine.isSet)
    #expect(engine.choices == ["assemblyai", "offline", "openai", "command"])
    // The longest answer of all travels as one line.
    #expect(MessageCoder.encode(ack).count < SessionContract.longestReplyLine)
  }

  @Test("settings of a broken file gives the defaults and says what is wrong")
  func brokenFile() async throws {
    try folder.write("{", to: "settings.json")
    let ack = await ask(.settings(setting: nil))
    #expect(ack.result == .done)
    #expect(ack.message?.contains("Mend it") == true)
    #expect(ack.settings?.allSatisfy { !$0.isSet } == true)
    #expect(await ask(.settings(setting: "KeepAudio")).message == ack.message)
  }

  @Test("a name is taken in any case, with and without the prefix, and answered in full")
  func names() async {
    for name in ["BlurtKeyTerms", "keyterms", "KEYTERMS", "blurtkeyterms"] {
      #expect(await ask(.settings(setting: name)).settings?.map(\.setting) == ["BlurtKeyTerms"])
    }
    for action in [
      ClientCommand.Action.settings(setting: "Kyterms"), .set(setting: "Kyterms", value: 1, expected: nil),
      .unset(setting: "Kyterms", expected: nil),
    ] {
      let ack = await ask(action)
      #expect(ack.result == .failed)
      #expect(ack.reason == .unknownSetting)
      #expect(ack.message?.contains("\"Kyterms\"") == true)
      #expect(ack.message?.contains("blurtctl settings list") == true)
    }
    #expect(text == "")
  }

  @Test("P-09 a value is checked, normalised, stored and answered")
  func store() async {
    let ack = await set("rewritemode", " smart ")
    #expect(ack.result == .done)
    #expect(ack.settings?.first?.value == "Smart")
    #expect(ack.settings?.first?.isSet == true)
    #expect(text == "{\n  \"BlurtRewriteMode\": \"Smart\"\n}\n")
    #expect(Settings(backing: file).usesSmartRewrite)
    let back = await ask(.unset(setting: "RewriteMode", expected: nil))
    #expect(back.result == .done)
    #expect(back.settings?.first?.value == "Fast")
    #expect(back.settings?.first?.isSet == false)
    #expect(text == "{}\n")
  }

  @Test("P-11 the trigger key is set by name, stored as its code and answered by name")
  func triggerKey() async {
    let ack = await set("TriggerKeyCode", "rightalt")
    #expect(ack.settings?.first?.value == "KEY_RIGHTALT")
    #expect(text.contains("\"BlurtTriggerKeyCode\": 100\n"))
    let wrong = await set("TriggerKeyCode", "KEY_BANANA")
    #expect(wrong.reason == .badValue)
    #expect(wrong.message?.contains("\"KEY_BANANA\"") == true)
    #expect(text.contains("100"))
  }

  @Test("P-05 P-14 the text of the key terms is stored as it was written and answered as it counts")
  func keyTerms() async {
    let ack = await set("KeyTerms", "a, ,A ,b")
    #expect(ack.settings?.first?.value == "a, b")
    #expect(text.contains("\"a, ,A ,b\""))
  }

  @Test(
    "a value that is not taken changes nothing and is answered with what is",
    arguments: [
      ("OfflineIdleMinutes", JSONValue.string("ten")), ("OfflineIdleMinutes", .integer(-1)),
      ("OfflineIdleMinutes", .double(1e300)), ("KeepAudio", "yes"), ("KeepAudio", .null), ("KeyTerms", .array(["a"])),
      ("Origin", "ftp://x"), ("Origin", "http://example.com"), ("ListeningMinutes", .double(0.5)),
      ("PasteChords", .object(["x": "bogus"])), ("ActiveStyleProfile", "nobody"), ("EngineKind", "whisper"),
      ("OpenAIOrigin", "box"), ("EngineCommand", "/bin/x"), ("EngineCommandSeconds", .integer(0)),
      ("PasteChords", .object(["x": "hyper+q"])),
      ("PasteChords", .object(["x": .null])), ("StyleProfiles", .object([:])), ("SpoolMaximumCount", .double(1.5)),
    ])
  func refused(name: String, value: JSONValue) async {
    let ack = await set(name, value)
    #expect(ack.result == .failed)
    #expect(ack.reason == .badValue)
    #expect(ack.message?.hasPrefix("Blurt\(name) is left as it was: ") == true)
    #expect(ack.message?.hasSuffix(".") == true)
    #expect(text == "")
  }

  @Test("P-17 the active style is one of those that there are, or default")
  func activeStyle() async throws {
    #expect(await set("ActiveStyleProfile", "default").result == .done)
    #expect(await set("ActiveStyleProfile", "work").message?.contains("you have no style yet") == true)
    try folder.write(
      #"{"BlurtStyleProfiles": [{"id": "work", "name": "Work", "instructions": "x"}]}"#, to: "settings.json")
    #expect(await set("ActiveStyleProfile", "work").result == .done)
    #expect(await set("ActiveStyleProfile", "wrok").message?.contains("yours are work") == true)
    try folder.write(#"{"BlurtCustomStyle": "x"}"#, to: "settings.json")
    #expect(await set("ActiveStyleProfile", "custom").result == .done)
  }

  @Test("S-136 who sets Listening to true, also where it is, opens a window that has closed by itself")
  func listening() async {
    let calls = Box(0)
    let service = SettingsCommand(file) { calls.update { $0 += 1 } }
    for (value, expected, count) in [
      (JSONValue.bool(true), nil, 1), (true, nil, 2), (false, nil, 2), (true, JSONValue.bool(true), 2), ("x", nil, 2),
      (true, JSONValue.bool(false), 3),
    ] as [(JSONValue, JSONValue?, Int)] {
      _ = await withCheckedContinuation { continuation in
        service.handle(
          ClientCommand(id: "x", .set(setting: "Listening", value: value, expected: expected)), from: client
        ) { continuation.resume(returning: $0) }
      }
      #expect(calls.value == count)
    }
    #expect(await ask(.unset(setting: "Listening", expected: nil)).result == .done)
    #expect(calls.value == 3)
  }

  @Test("P-27 the API key is no setting: it is neither stored nor said again")
  func apiKey() async {
    let ack = await set("BlurtAPIKey", "sk-secret")
    #expect(ack.reason == .unknownSetting)
    #expect(ack.message?.contains("sk-secret") == false)
    #expect(text == "")
  }

  @Test("a value is written only while the one that was expected is there")
  func compareAndWrite() async {
    // The default, a normalised spelling, and null for what is not set.
    #expect(await set("RewriteMode", "Smart", expected: "Fast").result == .done)
    #expect(await set("RewriteMode", "Fast", expected: "smart").result == .done)
    #expect(await set("OfflineIdleMinutes", 3, expected: .null).result == .done)
    #expect(await set("OfflineIdleMinutes", 4, expected: .double(3)).result == .done)
    #expect(await set("EngineKind", "offline", expected: .null).result == .done)
    #expect(await set("TriggerKeyCode", "KEY_LEFTALT", expected: 97).result == .done)
    let before = text
    for (name, expected) in [
      ("RewriteMode", JSONValue.string("Smart")), ("OfflineIdleMinutes", .null), ("EngineKind", .string("rubbish")),
      ("TriggerKeyCode", "KEY_RIGHTCTRL"), ("RewriteMode", .array([])),
    ] {
      let ack = await ask(.unset(setting: name, expected: expected))
      #expect(ack.result == .failed)
      #expect(ack.reason == .conflict)
      #expect(ack.settings?.first?.isSet == true)
    }
    #expect(text == before)
    #expect(await ask(.unset(setting: "EngineKind", expected: "offline")).result == .done)
  }

  @Test("P-21 a stored value that is not usable is answered as the default, with the problem")
  func unusable() async throws {
    try folder.write(
      #"{"BlurtTriggerActivation": "Wink", "BlurtOfflineIdleMinutes": [null], "BlurtStayLocal": null}"#,
      to: "settings.json")
    let activation = try #require(await ask(.settings(setting: "TriggerActivation")).settings?.first)
    #expect(activation.value == "TapOrHold" && activation.isSet)
    #expect(activation.problem?.hasPrefix("The stored value is not used: ") == true)
    let minutes = try #require(await ask(.settings(setting: "OfflineIdleMinutes")).settings?.first)
    #expect(minutes.value == 10 && minutes.isSet && minutes.problem != nil)
    let local = try #require(await ask(.settings(setting: "StayLocal")).settings?.first)
    #expect(local.value == false && !local.isSet && local.problem == nil)
    // Written, it is usable again.
    #expect(await set("TriggerActivation", "hold", expected: "TapOrHold").settings?.first?.problem == nil)
  }

  @Test("P-10 the answer says where a broken file went")
  func setAside() async throws {
    try folder.write("nonsense", to: "settings.json")
    let ack = await set("KeepAudio", false)
    #expect(ack.result == .done)
    #expect(ack.message?.contains(file.path + ".broken") == true)
    #expect(ack.message?.contains("blurtctl settings set StayLocal false") == true)
    #expect(await set("KeepAudio", true).message == nil)
  }

  @Test("a file that cannot be written is an answer that says what to do")
  func notWritable() async throws {
    mkdir(file.path, 0o700)
    let ack = await set("KeepAudio", false)
    #expect(ack.result == .failed)
    #expect(ack.reason == .notWritable)
    #expect(ack.message?.contains("Move it away") == true)
    #expect(await ask(.settings(setting: "KeepAudio")).result == .done)
  }

  @Test("commands are carried out and answered in the order in which they came, while the caller goes on")
  func order() async throws {
    let answers = Box<[String]>([])
    for number in 0..<30 {
      let action: ClientCommand.Action =
        number % 3 == 2
        ? .settings(setting: "OfflineIdleMinutes")
        : .set(setting: "OfflineIdleMinutes", value: .integer(Int64(number)), expected: nil)
      service.handle(ClientCommand(id: "\(number)", action), from: client) { ack in
        answers.append("\(ack.id) \(ack.settings?.first?.value ?? .null)")
      }
    }
    #expect(await eventually { answers.value.count == 30 })
    let expected = (0..<30).map { "\($0) \(JSONValue.integer(Int64($0 % 3 == 2 ? $0 - 1 : $0)))" }
    #expect(answers.value == expected)
  }

  @Test("S-149 every watcher is told which settings changed, once, by whomever")
  func watchers() async throws {
    let daemon = try ReplayDaemon()
    file.onChange { [hub = daemon.hub] in hub.settingsChanged($0) }
    let watchers = try (0..<2).map { _ in try LineClient(daemon.folder.socket) }
    for watcher in watchers {
      try watcher.send(#"{"id":"w","cmd":"watch"}"#)
      _ = watcher.line()
      _ = watcher.line()
    }
    _ = await ask(.settings(setting: nil))
    #expect(await set("KeepAudio", false).result == .done)
    try folder.write(#"{"BlurtStayLocal": true, "x": 1}"#, to: "settings.json")
    _ = await ask(.settings(setting: nil))
    for watcher in watchers {
      #expect(watcher.line() == #"{"event":"settings","settings":["BlurtKeepAudio"]}"#)
      #expect(watcher.line() == #"{"event":"settings","settings":["BlurtKeepAudio","BlurtStayLocal"]}"#)
    }
    daemon.stop()
  }

  @Test("values travel between the wire and the settings without loss")
  func conversion() {
    let values: [JSONValue] = [
      true, 5, .integer(-9_007_199_254_740_991), .double(0.5), "x", .array([1, "a", .object(["b": false])]),
      .object(["c": .array([])]),
    ]
    for value in values { #expect(SettingValue(value)?.json == value) }
    #expect(SettingValue(.double(5))?.json == 5)
    #expect(SettingValue(.null) == nil)
    #expect(SettingValue(.array([.null])) == nil)
    #expect(SettingValue(.object(["a": .object(["b": .null])])) == nil)
    #expect(SettingValue.number(.nan).json == .null)
    #expect(SettingValue.number(1e300).json == .double(1e300))
  }

  // MARK: edit

  private func shortcut(_ trigger: String, _ expansion: String = "x") -> JSONValue {
    .object(["trigger": .string(trigger), "expansion": .string(expansion)])
  }

  @Test("P-09 edit changes single entries by comparing and writing, and the answer has the whole setting")
  func editEntries() async throws {
    let added = await ask(
      .edit(EntryChange(setting: "textshortcuts", put: .array([shortcut("a")]), expected: .array([]))))
    #expect(added.result == .done)
    #expect(added.settings?.first?.value == .array([shortcut("a")]))
    let conflict = await ask(.edit(EntryChange(setting: "TextShortcuts", remove: ["A"], expected: .array([]))))
    #expect(conflict.result == .failed && conflict.reason == .conflict)
    #expect(conflict.settings?.first?.value == .array([shortcut("a")]))
    let removed = await ask(
      .edit(EntryChange(setting: "TextShortcuts", remove: ["A"], expected: .array([shortcut("a")]))))
    #expect(removed.result == .done && removed.settings?.first?.isSet == false)
    #expect(!text.contains("TextShortcuts"))
  }

  @Test("P-06 edit refuses what set refuses, and writes nothing then")
  func editRefused() async throws {
    let many = JSONValue.array((0..<201).map { shortcut("t\($0)") })
    for change in [
      EntryChange(setting: "TextShortcuts", put: many),
      EntryChange(setting: "TextShortcuts", put: .array([shortcut("a"), shortcut("...")])),
      EntryChange(setting: "TextShortcuts", put: .array([.null])), EntryChange(setting: "KeepAudio", remove: ["a"]),
      EntryChange(setting: "TextShortcuts", put: .object([:])),
    ] {
      let ack = await ask(.edit(change))
      #expect(ack.result == .failed && ack.reason == .badValue && ack.message != nil, "\(change)")
    }
    #expect(await ask(.edit(EntryChange(setting: "Nothing", remove: ["a"]))).reason == .unknownSetting)
    #expect(text == "")
  }

  @Test("S-146 P-39 the largest list of shortcuts is stored entry by entry, and its answer is one line of the daemon")
  func editLargest() async throws {
    for start in stride(from: 0, to: 200, by: 10) {
      let put = JSONValue.array((start..<start + 10).map { shortcut("t\($0)", String(repeating: "é", count: 2000)) })
      let command = ClientCommand.Action.edit(EntryChange(setting: "TextShortcuts", put: put, expected: .array([])))
      #expect(MessageCoder.encode(ClientCommand(id: "1", command)).count < SessionContract.longestRequestLine)
      #expect(await ask(command).result == .done)
    }
    let all = await ask(.settings(setting: nil))
    #expect(MessageCoder.encode(all).count < SessionContract.longestReplyLine)
    let ack = await ask(.edit(EntryChange(setting: "TextShortcuts", put: .array([shortcut("one more")]))))
    #expect(ack.reason == .badValue)
    let removed = await ask(.edit(EntryChange(setting: "TextShortcuts", remove: ["T0"])))
    guard case .array(let entries)? = removed.settings?.first?.value else {
      Issue.record("no list")
      return
    }
    #expect(entries.count == 199)
  }
}
