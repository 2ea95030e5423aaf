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
      defer { restoreLayout() }
      try await InjectorRig().use { injector in
        // Connected before the change, so that a stale layout would show.
        _ = await injector.focus.frontmost()
        try setLayout(layout.arguments)
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
    }

    @Test("C-45 C-53 C-55 a keyboard with neither v nor Insert: targetAppLost, text on the clipboard")
    func noKey() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      defer { restoreLayout() }
      try setLayout(["ru"])
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
    }

    @Test("C-55 a layout that changed while nobody looked at the display's events: the keys of the new one")
    func unseenChange() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      defer { restoreLayout() }
      var rig = InjectorRig()
      // On the X thread, which therefore cannot see the event before it computes the chord.
      rig.waitForModifiersReleased = { _ in
        do { try setLayout(["us", "-variant", "dvorak"]) } catch { Issue.record(error) }
        return true
      }
      try await rig.use { injector in
        _ = await injector.focus.frontmost()
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.strokes == [ProbeWindow.Key(name: "v", modifiers: UInt32(ControlMask), isPress: true)])
    }

    @Test("C-55 a layout that changes between the choice of the keys and their press: the keys of the new one")
    func lateChange() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      defer { restoreLayout() }
      var rig = InjectorRig()
      rig.afterOwning = {
        do { try setLayout(["us", "-variant", "dvorak"]) } catch { Issue.record(error) }
      }
      try await rig.use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.strokes == [ProbeWindow.Key(name: "v", modifiers: UInt32(ControlMask), isPress: true)])
    }

    @Test("C-45 C-53 C-55 the v goes away at the last moment: no old PRIMARY is pasted, the text is on the clipboard")
    func lateLoss() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let selected = try ForeignOwner(text: "selected", selection: "PRIMARY")
      defer { quit(probe, peeker, selected) }
      defer { restoreLayout() }
      var rig = InjectorRig()
      rig.afterOwning = {
        do { try setLayout(["ru"]) } catch { Issue.record(error) }
      }
      try await rig.use { injector in
        injector.setTarget(nil)
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
        #expect(await peeker.owner(of: "PRIMARY") == selected.window)
      }
      #expect(probe.keys.isEmpty)
    }

    @Test(
      "C-55 XTest's keyboard has a layout of its own, and another keyboard was used last: the keys of XTest's",
      .enabled(if: Program.isInstalled("Xvfb"), "needs Xvfb"))
    func keyboardsDiffer() async throws {
      let server = try await PrivateServer()
      defer { server.end() }
      let probe = try ProbeWindow(displayName: server.displayName)
      let keyboard = try Peeker(displayName: server.displayName)
      defer { quit(probe, keyboard) }
      await probe.takeFocus()
      var rig = InjectorRig()
      rig.displayName = { server.displayName }
      try await rig.use { injector in
        _ = await injector.focus.frontmost()
        // The server makes its four virtual devices first: 5 is "Virtual core XTEST keyboard".
        try setLayout(["us", "-variant", "dvorak", "-device", "5"], displayName: server.displayName)
        // No key has come from it yet, so all clients still have the layout of the server's own keyboard.
        #expect(await keyboard.run { XKeysymToKeycode(keyboard.display, KeySym(XK_v)) } == 55)
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(
        probe.keys.map(\.name) == ["Control_L", "v", "v", "Control_L"],
        "the release that makes the server change the layout is seen by nobody")
    }

    /// For the tests that follow, however this one ends.
    private func restoreLayout() {
      do { try setLayout(["us"]) } catch { Issue.record(error) }
    }

    /// Exactly this layout: neither variant nor option of the former one stays.
    private func setLayout(_ layout: [String], displayName: String = X11Rig.displayName) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      // A second -variant would be ignored.
      let noVariant = layout.contains("-variant") ? [] : ["-variant", ""]
      process.arguments = ["setxkbmap", "-display", displayName, "-option", "", "-layout"] + layout + noVariant
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }
}
