import BlurtEngine
import CX11
import Foundation
import Glibc
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
      /// With Caps Lock and Num Lock on.
      var lockedChord: String?
      var testDescription: String { arguments.joined(separator: " ") + " group \(group)" }
    }

    private static func variant(
      _ layout: String, _ variant: String, group: UInt32 = 0, lockedChord: String? = nil
    ) -> Layout {
      Layout(arguments: [layout, "-variant", variant], group: group, lockedChord: lockedChord)
    }

    static let layouts = [
      Layout(arguments: ["us"]), variant("us", "dvorak"), variant("us", "colemak"), variant("us", "workman"),
      Layout(arguments: ["us", "-option", "ctrl:swapcaps"]), Layout(arguments: ["fr"]), variant("fr", "bepo"),
      Layout(arguments: ["de"]), variant("de", "neo", lockedChord: "Insert"), Layout(arguments: ["tr"]),
      variant("tr", "f"),
      Layout(arguments: ["jp"]), Layout(arguments: ["ru"], chord: "Insert"), Layout(arguments: ["gr"], chord: "Insert"),
      Layout(arguments: ["th"], chord: "Insert"), Layout(arguments: ["il"], chord: "Insert"),
      Layout(arguments: ["us,ru"]), Layout(arguments: ["us,ru"], group: 1, chord: "Insert"),
      Layout(arguments: ["ru,us"], chord: "Insert"), Layout(arguments: ["ru,us"], group: 1),
      Layout(arguments: ["us,gr"], group: 1, chord: "Insert"), Layout(arguments: ["us,th"], group: 1, chord: "Insert"),
      Layout(arguments: ["fr,us"]), Layout(arguments: ["fr,us"], group: 1), variant("us,us", ",dvorak", group: 1),
      variant("de,ru", "neo,", lockedChord: "Insert"),
      Layout(arguments: ["de,ru", "-variant", "neo,"], group: 1, chord: "Insert"),
    ]

    @Test(
      "C-55 C-67 B-72 B-73 B-74 the text arrives on every layout, in an editor and in a terminal; the active group, the locks and the lights stay",
      arguments: layouts)
    func layout(_ layout: Layout) async throws {
      let editor = try await ProbeWindow().shown()
      let terminal = try await ProbeWindow(instance: "kitty", windowClass: "kitty").shown()
      let keyboard = try Peeker()
      defer { quit(editor, terminal, keyboard) }
      defer { restoreLayout() }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.takeover = .seconds(30) }
      var rows: [String] = []
      try await rig.use { injector in
        // Connected before the change, so that a stale layout would show.
        _ = await injector.focus.frontmost()
        try setLayout(layout.arguments)
        await keyboard.lockGroup(layout.group)
        for locks in [0, LockMask | Mod2Mask] {
          await keyboard.lock(LockMask | Mod2Mask, isOn: locks != 0)
          let lights = await keyboard.lights()
          // In Neo Num Lock turns the letters into arrows and digits.
          let key = locks == 0 ? layout.chord : layout.lockedChord ?? layout.chord
          for (probe, modifiers) in [(editor, ControlMask), (terminal, ControlMask | ShiftMask)] {
            probe.forget()
            let changes = probe.mappingChanges
            let windowClass = probe === editor ? "Probe" : "kitty"
            injector.setTarget(
              CapturedFocus(
                processID: getpid(), name: windowClass, windowID: UInt64(probe.window), windowClass: windowClass))
            try await injector.insert("words", after: nil, windowTitle: nil)
            try await eventually("the text arrives") { probe.pasted == ["words"] }
            let expected = key == "v" ? UInt32(modifiers) : UInt32(ShiftMask)
            #expect(probe.strokes == [ProbeWindow.Key(name: key, modifiers: expected, isPress: true)])
            // B-76: no key is given another meaning for the while.
            #expect(probe.mappingChanges == changes)
            let stroke = zip(probe.keys, probe.codes).first { $0.0.isPress && $0.0.name == key }
            rows.append("\(stroke?.1 ?? 0)")
          }
          let state = await keyboard.keyboardState()
          #expect(state.group == UInt8(layout.group) && state.locked == UInt8(locks))
          #expect(await keyboard.lights() == lights)
          #expect(await keyboard.keysDownCount() == 0)
        }
      }
      await keyboard.lock(LockMask | Mod2Mask, isOn: false)
      await keyboard.lockGroup(0)
      try note(layout, keycodes: rows)
    }

    /// A row for `scripts/layouts.sh`, where that wants one.
    private func note(_ layout: Layout, keycodes: [String]) throws {
      guard let path = ProcessInfo.processInfo.environment["BLURT_TEST_LAYOUT_TABLE"] else { return }
      let names = layout.arguments.filter { !$0.hasPrefix("-") }
      let chords = [
        layout.chord == "v" ? "Ctrl+V" : "Shift+Insert", layout.chord == "v" ? "Ctrl+Shift+V" : "Shift+Insert",
        (layout.lockedChord ?? layout.chord) == layout.chord ? "the same" : "Shift+Insert",
      ]
      let row =
        [names.joined(separator: " "), "\(layout.group + 1)"] + chords + [Set(keycodes).sorted().joined(separator: " ")]
      let file = try #require(fopen(path, "a"))
      defer { fclose(file) }
      fputs(row.joined(separator: "|") + "\n", file)
    }

    @Test(
      "C-55 a locked level takes v away: Shift+Insert, and the lock stays",
      arguments: [["fr"], ["de", "-variant", "neo"]])
    func lockedLevel(_ layout: [String]) async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      defer { restoreLayout() }
      // What AltGr is in both, and what `ISO_Level3_Lock` locks.
      let level3 = Mod5Mask
      probe.plan.ignored |= UInt32(level3)
      try await InjectorRig().use { injector in
        try setLayout(layout)
        await keyboard.lock(level3, isOn: true)
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        #expect(await keyboard.keyboardState().locked == UInt8(level3))
        await keyboard.lock(level3, isOn: false)
        try await injector.insert("more", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words", "more"] }
      }
      #expect(probe.strokes.map(\.name) == ["Insert", "v"])
    }

    @Test("C-55 a layout that changes between two pastes is noticed, also where nobody but the server tells")
    func changeBetween() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      defer { restoreLayout() }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        for (number, layout) in [["us"], ["us", "-variant", "dvorak"], ["ru"], ["fr", "-variant", "bepo"]].enumerated()
        {
          try setLayout(layout)
          try await injector.insert("\(number)", after: nil, windowTitle: nil)
          try await eventually("the text arrives") { probe.pasted.count == number + 1 }
        }
        // The same layout, and another group of it.
        try setLayout(["us,ru"])
        for group in [UInt32(0), 1, 0] {
          await keyboard.lockGroup(group)
          let before = probe.pasted.count
          try await injector.insert("group \(group)", after: nil, windowTitle: nil)
          try await eventually("the text arrives") { probe.pasted.count == before + 1 }
        }
      }
      #expect(probe.strokes.map(\.name) == ["v", "v", "Insert", "v", "v", "Insert", "v"])
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
