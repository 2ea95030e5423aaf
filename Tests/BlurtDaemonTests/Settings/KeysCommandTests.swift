import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

/// `keys` and `setKey` over a settings file.
@Suite("The trigger keys of clients", .timeLimit(.minutes(1))) struct KeysCommandTests {
  private let folder: ScratchFolder
  private let file: SettingsFile
  private let command: SettingsCommand

  init() throws {
    folder = try ScratchFolder()
    file = SettingsFile(path: folder.path + "/settings.json")
    command = SettingsCommand(file)
  }

  private func ask(_ action: ClientCommand.Action) async -> CommandAck {
    await withCheckedContinuation { continuation in
      command.handle(
        ClientCommand(id: "1", action), from: ClientIdentity(connection: 1, processID: 1, userID: 0),
        reply: { continuation.resume(returning: $0) })
    }
  }

  private func change(_ change: KeyChange) async -> CommandAck { await ask(.setKey(change)) }

  private func entry(_ key: String) async -> KeyEntry? { await ask(.keys(key: nil)).keys?.first { $0.key == key } }

  private func styles() throws {
    try folder.write(
      #"""
      {"BlurtStyleProfiles":[{"id":"mail","name":"Mail","instructions":"A"},{"id":"code","name":"Code","instructions":"B"}],
       "BlurtActiveStyleProfile":"code"}
      """#, to: "settings.json")
  }

  @Test("H-52 H-56 H-62 H-63 H-65 H-66 H-67 every key is listed with what it does and what there is to know about it")
  func list() async throws {
    try styles()
    let keys = try #require(await ask(.keys(key: nil)).keys)
    #expect(keys.map(\.key) == TriggerKey.all.map(\.name))
    #expect(keys.filter(\.isOffered).count == 6)
    #expect(
      keys.first
        == KeyEntry(
          key: "KEY_RIGHTCTRL", code: 97, label: "Right Ctrl", choice: "dictate", style: "code", styleName: "Code",
          activation: "TapOrHold", isBound: true, isOffered: true))
    #expect(keys.filter(\.isBound).count == 1)
    for key in keys.dropFirst() { #expect(key.choice == "off") }
    #expect(await ask(.keys(key: "f13")).keys?.map(\.code) == [183])
    #expect(await ask(.keys(key: "KEY_A")).reason == .badValue)
    #expect(keys.filter { $0.isOffered && $0.warnings != nil }.map(\.code) == [100, 29, 126, 125])
  }

  @Test("H-58 H-59 a key dictates beside the bound one, in a style by its name, with a mode of its own")
  func dictates() async throws {
    try styles()
    let ack = await change(KeyChange(key: "f13", choice: "dictate", style: "MAIL", activation: "hold"))
    #expect(ack.result == .done)
    #expect(
      ack.keys == [
        KeyEntry(
          key: "KEY_F13", code: 183, label: "F13", choice: "dictate", style: "mail", styleName: "Mail",
          activation: "Hold", isBound: false, isOffered: false)
      ])
    let settings = Settings(backing: file)
    #expect(settings.triggerKeys.activations == [.init(keyCode: 97), .init(keyCode: 183, mode: .hold)])
    #expect(settings.dictationStyle(ofKey: 183)?.name == "Mail")
    #expect(settings.dictationStyle(ofKey: 97)?.name == "Code")
  }

  @Test("H-59 the style of the bound key is the active one: it is chosen")
  func styleOfTheBoundKey() async throws {
    try styles()
    let ack = await change(KeyChange(key: "KEY_RIGHTCTRL", style: "Mail"))
    #expect(ack.keys?.first?.style == "mail")
    #expect(StyleProfileStore(backing: file).active == .profile(id: "mail"))
    _ = await change(KeyChange(key: "97", style: "default"))
    #expect(StyleProfileStore(backing: file).active == .base)
    #expect(await entry("KEY_RIGHTCTRL")?.style == nil)
  }

  @Test("H-57 the bound key that is turned off hands over in the same write; the last one leaves none")
  func off() async throws {
    _ = await change(KeyChange(key: "KEY_RIGHTALT", choice: "dictate"))
    let ack = await change(KeyChange(key: "KEY_RIGHTCTRL", choice: "off"))
    #expect(ack.keys?.map(\.key) == ["KEY_RIGHTCTRL", "KEY_RIGHTALT"])
    #expect(ack.keys?.last?.isBound == true)
    _ = await change(KeyChange(key: "KEY_RIGHTALT", choice: "off"))
    #expect(await ask(.keys(key: nil)).keys?.contains { $0.isBound } == false)
    #expect(Settings(backing: file).triggerKeys.activations == [])
  }

  @Test("H-57 H-58 only one key, and the bound key, also through the setting itself where it had been turned off")
  func onlyAndBound() async throws {
    _ = await change(KeyChange(key: "KEY_RIGHTALT", choice: "dictate"))
    _ = await change(KeyChange(key: "KEY_F13", choice: "dictate", isOnly: true))
    #expect(Settings(backing: file).triggerKeys.activations == [.init(keyCode: 183)])
    _ = await change(KeyChange(key: "BTN_SIDE", isBound: true))
    #expect(Settings(backing: file).triggerKeys.activations == [.init(keyCode: 275)])
    _ = await change(KeyChange(key: "BTN_SIDE", choice: "off"))
    _ = await ask(.set(setting: "TriggerKeyCode", value: "BTN_SIDE", expected: nil))
    #expect(Settings(backing: file).triggerKeys.dictationKey?.code == 275)
  }

  @Test("H-58 one activation for every key, and one for one key")
  func activation() async throws {
    _ = await change(KeyChange(key: "KEY_F13", choice: "dictate", activation: "Tap"))
    let ack = await change(KeyChange(activation: "HOLD"))
    #expect(ack.keys?.map(\.key) == ["KEY_RIGHTCTRL", "KEY_F13"])
    #expect(Settings(backing: file).triggerKeys.activations.map(\.mode) == [.hold, .hold])
    _ = await change(KeyChange(key: "KEY_F13", activation: "taporhold"))
    #expect(Settings(backing: file).triggerKeys.activations.map(\.mode) == [.hold, .tapOrHold])
  }

  @Test(
    "B-09 H-64 what makes no sense is refused by its name, and nothing is written",
    arguments: [
      (KeyChange(key: "rightctlr", choice: "dictate"), "perhaps KEY_RIGHTCTRL was meant"),
      (KeyChange(key: "KEY_A", choice: "dictate"), "writes or moves the cursor"),
      (KeyChange(key: "BTN_LEFT", isBound: true), "every click needs"),
      (KeyChange(key: "KEY_F13", choice: "sing"), "\"sing\" is nothing that a key can do"),
      (KeyChange(key: "KEY_LEFTALT", choice: "readAloud"), "no speech service"),
      (KeyChange(key: "KEY_LEFTALT", choice: "ask"), "no speech service"),
      (
        KeyChange(key: "KEY_F13", choice: "dictate", style: "letter"),
        "there is no style \"letter\"; yours are Mail, Code"
      ),
      (KeyChange(key: "KEY_F13", choice: "dictate", activation: "double"), "TapOrHold, Tap, Hold"),
      (KeyChange(key: "KEY_F13"), "nothing was to be changed"), (KeyChange(choice: "off"), "no key was named"),
      (KeyChange(key: "KEY_F13", choice: "off", style: "Mail"), "a key that is off has no style"),
      (KeyChange(key: "KEY_F13", activation: "tap", isOnly: true), "none was given"),
    ])
  func refusals(change: KeyChange, part: String) async throws {
    try styles()
    let before = try Data(contentsOf: URL(filePath: file.path))
    let ack = await self.change(change)
    #expect(ack.result == .failed && ack.reason == .badValue)
    #expect(ack.message?.contains(part) == true, "\(ack.message ?? "")")
    #expect(ack.message?.hasPrefix("The keys are left as they were: ") == true)
    #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
  }

  @Test("H-64 what another version has stored, a style that is gone and a key's caution are told with the key")
  func warnings() async throws {
    try folder.write(
      #"{"BlurtTriggerKeyStyles":{"56":{"action":"readAloud"},"183":{"action":"dictate","style":"gone"}}}"#,
      to: "settings.json")
    #expect(await entry("KEY_LEFTALT")?.choice == "readAloud")
    #expect(await entry("KEY_LEFTALT")?.warnings?.first?.contains("no speech service") == true)
    #expect(await entry("KEY_F13")?.style == nil)
    #expect(await entry("KEY_F13")?.warnings?.first?.contains("no style \"gone\" any more") == true)
    #expect(Settings(backing: file).triggerKeys.activations.map(\.keyCode) == [97, 183])
  }

  @Test("H-57 the doctor says that no key dictates, and what stands against those that do")
  func doctor() async throws {
    func check() async -> DoctorCheck? {
      let doctor = Doctor([.triggerKeys { [file] in file }])
      return await doctor.examine(record: false).first
    }
    #expect(await check() == DoctorCheck("triggerKeys", .ok, "Right Ctrl dictates."))
    _ = await change(KeyChange(key: "KEY_LEFTMETA", choice: "dictate"))
    let warned = await check()
    #expect(warned?.state == .warning && warned?.remedy == "blurtctl keys")
    #expect(warned?.message.contains("Left Super: The desktop opens its launcher") == true)
    _ = await change(KeyChange(key: "KEY_LEFTMETA", choice: "off"))
    _ = await change(KeyChange(key: "KEY_RIGHTCTRL", choice: "off"))
    let failed = await check()
    #expect(failed?.state == .failed && failed?.remedy == "blurtctl keys bind KEY_RIGHTCTRL")
  }

  @Test("H-58 a file that cannot be written is told, and the keys stay")
  func notWritable() async throws {
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    let ack = await change(KeyChange(key: "KEY_F13", choice: "dictate"))
    #expect(ack.result == .failed && ack.reason == .notWritable)
  }
}
