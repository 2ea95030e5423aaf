import BlurtContract
import Testing

@testable import blurtctl

/// `keys list`, `set`, `bind`, `off` and `activation`.
@Suite(.timeLimit(.minutes(1))) struct KeysVerbTests {
  private static let keys = [
    KeyEntry(
      key: "KEY_RIGHTCTRL", code: 97, label: "Right Ctrl", choice: "dictate", style: "mail", styleName: "Mail",
      activation: "TapOrHold", isBound: true, isOffered: true),
    KeyEntry(
      key: "KEY_LEFTALT", code: 56, label: "Left Alt", choice: "off", activation: "TapOrHold", isBound: false,
      isOffered: true, warnings: ["It is off."]),
    KeyEntry(
      key: "KEY_CAPSLOCK", code: 58, label: "Caps Lock", choice: "dictate", activation: "Hold", isBound: false,
      isOffered: false, warnings: ["It locks."]),
    KeyEntry(
      key: "KEY_F13", code: 183, label: "F13", choice: "off", activation: "TapOrHold", isBound: false,
      isOffered: false),
  ]

  private func with(
    _ keys: [KeyEntry] = keys, refusal: String? = nil, _ body: (FakeDaemon) async throws -> Void
  ) async throws {
    let daemon = try FakeDaemon(FakeDaemon.Script(keys: keys, keyRefusal: refusal))
    defer { daemon.stop() }
    try await body(daemon)
  }

  @Test("H-56 the list has the usual keys and those that do something, with a star at the bound one, and what to know")
  func list() async throws {
    try await with { daemon in
      let shown = await daemon.run("keys")
      #expect(
        shown.out == """
          * KEY_RIGHTCTRL  Right Ctrl  dictate  by taps and while it is held  Mail
            KEY_LEFTALT    Left Alt    off
            KEY_CAPSLOCK   Caps Lock   dictate  while it is held              base style
              It locks.

          """)
      #expect(shown.err == "")
      #expect(await daemon.run("keys list --all").out.contains("KEY_F13"))
      #expect(
        await daemon.run("keys list --names", terminal: false).out
          == "KEY_RIGHTCTRL\nKEY_LEFTALT\nKEY_CAPSLOCK\nKEY_F13\n")
      #expect(await daemon.run("keys --json").out.contains(#""isBound":true"#))
    }
  }

  @Test("H-57 where no key dictates the list says so, with what helps")
  func nothingDictates() async throws {
    try await with([Self.keys[1]]) { daemon in
      let run = await daemon.run("keys")
      #expect(run.status == .done && run.err == "No key dictates: blurtctl keys bind KEY_RIGHTCTRL\n")
    }
  }

  @Test("H-58 set, bind, off and activation ask for one change each, and say what the key does now")
  func changes() async throws {
    try await with { daemon in
      let run = await daemon.run("keys set KEY_CAPSLOCK dictate --style mail --activation hold --only")
      #expect(run.out == "Caps Lock dictates in the base style, while it is held.\n")
      #expect(run.err == "Caps Lock: It locks.\n")
      _ = await daemon.run("keys bind KEY_RIGHTCTRL")
      #expect(await daemon.run("keys off KEY_LEFTALT").out == "Left Alt is off now.\n")
      let all = await daemon.run("keys activation tap")
      #expect(all.out.split(separator: "\n").count == 2)
      _ = await daemon.run("keys activation tap KEY_F13")
      _ = await daemon.run("keys set KEY_F13 readaloud")
      #expect(
        daemon.commands.map(\.action) == [
          .setKey(
            KeyChange(key: "KEY_CAPSLOCK", choice: "dictate", style: "mail", activation: "hold", isOnly: true)),
          .setKey(KeyChange(key: "KEY_RIGHTCTRL", isBound: true)),
          .setKey(KeyChange(key: "KEY_LEFTALT", choice: "off")),
          .setKey(KeyChange(activation: "tap")),
          .setKey(KeyChange(key: "KEY_F13", activation: "tap")),
          .setKey(KeyChange(key: "KEY_F13", choice: "readAloud")),
        ])
    }
  }

  @Test("B-09 what the daemon refuses is told in its words and ends with 1; what makes no sense ends with 2, unasked")
  func refusals() async throws {
    try await with(refusal: "\"rightctlr\" is no key that can dictate; did you mean KEY_RIGHTCTRL?") { daemon in
      let run = await daemon.run("keys bind rightctlr")
      #expect(run.status == .failed && run.err.contains("did you mean KEY_RIGHTCTRL?"))
      let count = daemon.commands.count
      #expect(await daemon.run("keys set KEY_F13 sing").status == .usage)
      #expect(await daemon.run("keys set KEY_F13").status == .usage)
      #expect(await daemon.run("keys set KEY_F13 off --style mail").status == .usage)
      #expect(await daemon.run("keys set KEY_F13 dictate --activation double").status == .usage)
      #expect(await daemon.run("keys activation double").status == .usage)
      #expect(daemon.commands.count == count)
    }
  }
}
