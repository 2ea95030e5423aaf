import BlurtEngine
import CX11
import Foundation
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// The chord is found by keysym in the active group, and Shift+Insert stands in where there is no `v` (C-55).
  @Suite("layouts")
  struct LayoutTests {
    struct Layout: Sendable, CustomTestStringConvertible {
      let arguments: [String]
      var group: UInt32 = 0
      var chord = "v"
      var testDescription: String { arguments.joined(separator: " ") + " group \(group)" }
    }

    static let layouts = [
      Layout(arguments: ["us"]), Layout(arguments: ["us", "-variant", "dvorak"]),
      Layout(arguments: ["us", "-variant", "colemak"]), Layout(arguments: ["fr"]),
      Layout(arguments: ["fr", "-variant", "bepo"]), Layout(arguments: ["de", "-variant", "neo"]),
      Layout(arguments: ["us", "-option", "ctrl:swapcaps"]),
      Layout(arguments: ["ru"], chord: "Insert"), Layout(arguments: ["th"], chord: "Insert"),
      Layout(arguments: ["gr"], chord: "Insert"), Layout(arguments: ["us,ru"]),
      Layout(arguments: ["us,ru"], group: 1, chord: "Insert"), Layout(arguments: ["ru,us"], chord: "Insert"),
      Layout(arguments: ["ru,us"], group: 1), Layout(arguments: ["us,us", "-variant", ",dvorak"], group: 1),
    ]

    @Test("C-55 B-72 B-73 B-74 the text arrives on every layout, and the active group stays", arguments: layouts)
    func layout(_ layout: Layout) async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      try await InjectorRig().use { injector in
        // Connected before the change, so that a stale layout would show.
        _ = await injector.focus.frontmost()
        try setLayout(["-option", "", "-layout"] + layout.arguments)
        await keyboard.run { _ = XkbLockGroup(keyboard.display, UInt32(XkbUseCoreKbd), layout.group) }
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      let modifiers = UInt32(layout.chord == "v" ? ControlMask : ShiftMask)
      #expect(probe.strokes == [ProbeWindow.Key(name: layout.chord, modifiers: modifiers, isPress: true)])
      #expect(await keyboard.keyboardState().group == UInt8(layout.group))
      #expect(await keyboard.keysDownCount() == 0)
      await keyboard.run { _ = XkbLockGroup(keyboard.display, UInt32(XkbUseCoreKbd), 0) }
      try setLayout(["-option", "", "-layout", "us", "-variant", ""])
    }

    @Test("C-45 C-53 C-55 a keyboard with neither v nor Insert: targetAppLost, text on the clipboard")
    func noKey() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      try setLayout(["-option", "", "-layout", "ru"])
      await keyboard.run {
        let code = XKeysymToKeycode(keyboard.display, KeySym(XK_Insert))
        var nothing = KeySym(NoSymbol)
        XChangeKeyboardMapping(keyboard.display, Int32(code), 1, &nothing, 1)
      }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await keyboard.text() == "words")
      }
      #expect(probe.keys.isEmpty)
      try setLayout(["-option", "", "-layout", "us", "-variant", ""])
    }

    private func setLayout(_ arguments: [String]) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["setxkbmap"] + arguments
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }
}
