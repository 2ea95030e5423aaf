import BlurtEngine
import BlurtOS
import Foundation
import Glibc
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// Pastes into programs that people use.
  @Suite("real programs")
  struct RealProgramTests {
    private static let hasGTK = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/gi")
    private static let hasXterm = Program.isInstalled("xterm")

    /// Keeps a picture of the screen where `BLURT_TEST_SCREENSHOTS` names a folder.
    private func screenshot(_ name: String) throws {
      guard let folder = ProcessInfo.processInfo.environment["BLURT_TEST_SCREENSHOTS"] else { return }
      try Program(["import", "-window", "root", "\(folder)/\(name).png"]).waitForEnd()
    }

    @Test(
      "B-78 a GTK text view gets each text exact, and the old clipboard is back after",
      .enabled(if: hasGTK, "needs python3-gi and GTK 3"))
    func gtk() async throws {
      let view = try Program([
        "/usr/bin/python3", X11Rig.folder.appendingPathComponent("gtk_entry.py").path, "{}/text",
      ])
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer {
        view.end()
        quit(peeker, old)
      }
      try await eventually(within: .seconds(30), "the view has the focus") {
        view.text(of: "log")?.contains("\n") == true
      }
      let texts = [
        "Dictated: é 日本語.", "Spaß ø piñata é 漢字 🩻 e\u{301}", String(repeating: "Four hundred é 日本語 ", count: 20),
        "two\nlines",
      ]
      try await InjectorRig().use { injector in
        let focus = try #require(await injector.focus.frontmost())
        injector.setTarget(focus)
        var expected = ""
        for text in texts {
          try await injector.insert(text, after: expected.isEmpty ? nil : expected, windowTitle: "blurt text view")
          expected += expected.isEmpty || expected.hasSuffix(" ") ? text : " " + text
          let now = expected
          try await eventually("the text arrives") {
            view.text(of: "text")?.unicodeScalars.elementsEqual(now.unicodeScalars) == true
          }
        }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
        try screenshot("gtk")
      }
    }

    @Test(
      "B-81 B-86 xterm gets its text on one line, and no command runs", .enabled(if: hasXterm, "needs xterm"))
    func xterm() async throws {
      let terminal = try Program([
        "xterm", "-u8", "-xrm", "*allowWindowOps: false", "-e", "sh", "-c", "echo ready >{}/ready; cat >{}/typed",
      ])
      let keyboard = try Peeker()
      let old = try ForeignOwner(text: "old")
      let selected = try ForeignOwner(text: "selected", selection: "PRIMARY")
      defer {
        terminal.end()
        quit(keyboard, old, selected)
      }
      try await eventually(within: .seconds(30), "xterm runs") { terminal.text(of: "ready") != nil }
      try await InjectorRig().use { injector in
        try await eventually(within: .seconds(30), "xterm has the focus") {
          await injector.focus.frontmost()?.windowClass == "XTerm"
        }
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("touch x\né 日本語 \u{1b}[201~; rm y\n", after: nil, windowTitle: "xterm")
        try await eventually("both selections come back") {
          let both = (await keyboard.text(), await keyboard.text(from: "PRIMARY"))
          return both == ("old", "selected")
        }
        // Nothing was sent as a line: cat has not seen any yet.
        #expect(terminal.text(of: "typed") == "")
        try screenshot("xterm")
        for isDown in [true, false] { await keyboard.key("Return", isDown: isDown) }
        try await eventually("the line arrives") {
          terminal.text(of: "typed") == "touch x é 日本語 [201~; rm y \n"
        }
      }
    }

    @Test("C-63 a password entry is pasted into like any other", .enabled(if: hasGTK, "needs python3-gi and GTK 3"))
    func password() async throws {
      let entry = try Program([
        "/usr/bin/python3", X11Rig.folder.appendingPathComponent("gtk_entry.py").path, "{}/text", "log in", "password",
      ])
      defer { entry.end() }
      try await eventually(within: .seconds(30), "the entry has the focus") {
        entry.text(of: "log")?.contains("\n") == true
      }
      try await InjectorRig().use { injector in
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("correct horse", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { entry.text(of: "text") == "correct horse" }
      }
    }

    @Test(
      "B-92 focus that moved to another program comes back to the text view of the press",
      .enabled(if: hasGTK, "needs python3-gi and GTK 3"))
    func moved() async throws {
      let view = try Program([
        "/usr/bin/python3", X11Rig.folder.appendingPathComponent("gtk_entry.py").path, "{}/text",
      ])
      defer { view.end() }
      try await eventually(within: .seconds(30), "the view has the focus") {
        view.text(of: "log")?.contains("\n") == true
      }
      try await InjectorRig().use { injector in
        let focus = try #require(await injector.focus.frontmost())
        injector.setTarget(focus)
        let other = try await ProbeWindow(title: "password").shown()
        defer { other.quit() }
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { view.text(of: "text") == "words" }
        #expect(other.keys.isEmpty)
      }
    }
  }
}
