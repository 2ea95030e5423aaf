import BlurtEngine
import BlurtOS
import CX11
import Foundation
import Glibc
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// The window of the press under the window managers that people use: each has its own mind about activation.
  @Suite("window managers", .enabled(if: Program.isInstalled("Xvfb"), "needs Xvfb"))
  struct WindowManagerTests {
    struct Manager: Sendable, CustomTestStringConvertible {
      let name: String
      var arguments: [String] = []
      /// Its configuration, as `{}/config`.
      var configuration = ""
      /// A tiling one shows every window.
      var minimises = true
      var testDescription: String { name }
    }

    static let managers = [
      Manager(name: "openbox"), Manager(name: "icewm"),
      Manager(
        name: "i3", arguments: ["-c", "{}/config"], configuration: "bindsym Mod4+F12 nop\n", minimises: false),
    ].filter { Program.isInstalled($0.name) }

    private func focus(_ probe: ProbeWindow) -> CapturedFocus {
      CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
    }

    private func withManager(
      _ manager: Manager, _ body: (PrivateServer, Peeker) async throws -> Void
    ) async throws {
      let server = try await PrivateServer()
      defer { server.end() }
      let peeker = try Peeker(displayName: server.displayName)
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blurt-wm-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try manager.configuration.write(
        to: folder.appendingPathComponent("config"), atomically: true, encoding: .utf8)
      let program = try Program(
        [manager.name] + manager.arguments.map { $0.replacingOccurrences(of: "{}", with: folder.path) },
        environment: [
          "DISPLAY": server.displayName, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
          "XDG_RUNTIME_DIR": folder.path, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        ])
      defer {
        program.end()
        peeker.quit()
      }
      try await eventually(within: .seconds(60), "\(manager.name) runs") {
        await peeker.run {
          peeker.take(peeker.root, peeker.atom("_NET_SUPPORTING_WM_CHECK"), delete: false) != nil
        }
      }
      try await body(server, peeker)
    }

    @Test(
      "C-33 C-40 C-77 the window of the press gets the text though another one has the focus since", arguments: managers
    )
    func moved(_ manager: Manager) async throws {
      try await withManager(manager) { server, _ in
        let first = try await ProbeWindow(title: "first", displayName: server.displayName).activated()
        defer { first.quit() }
        var rig = InjectorRig()
        rig.displayName = { server.displayName }
        rig.timing = .quick.with { $0.activation = .seconds(30) }
        try await rig.use { injector in
          let pressed = try #require(await injector.focus.frontmost())
          #expect(pressed.windowID == UInt64(first.window))
          let second = try await ProbeWindow(title: "second", displayName: server.displayName).activated()
          defer { second.quit() }
          try await eventually("the first one has lost it") { !first.hasFocus }
          second.forget()
          injector.setTarget(pressed)
          try await injector.insert("for the first", after: nil, windowTitle: nil)
          try await eventually("the text arrives") { first.pasted == ["for the first"] }
          #expect(second.keys.isEmpty)
        }
      }
    }

    @Test(
      "C-40 B-92 a window that was minimised since the press is shown again and gets the text",
      arguments: managers.filter(\.minimises))
    func minimised(_ manager: Manager) async throws {
      try await withManager(manager) { server, _ in
        let first = try await ProbeWindow(title: "first", displayName: server.displayName).activated()
        defer { first.quit() }
        var rig = InjectorRig()
        rig.displayName = { server.displayName }
        rig.timing = .quick.with { $0.activation = .seconds(30) }
        try await rig.use { injector in
          await first.run { _ = XIconifyWindow(first.display, first.window, XDefaultScreen(first.display)) }
          try await eventually("it is minimised") { !first.hasFocus }
          injector.setTarget(focus(first))
          try await injector.insert("words", after: nil, windowTitle: nil)
          try await eventually("the text arrives") { first.pasted == ["words"] }
        }
      }
    }

    @Test(
      "C-40 C-77 a window that is on another desktop since the press gets the text, and no window of this one does",
      arguments: managers.filter(\.minimises))
    func otherDesktop(_ manager: Manager) async throws {
      try await withManager(manager) { server, _ in
        let first = try await ProbeWindow(title: "first", displayName: server.displayName).activated()
        let second = try await ProbeWindow(title: "second", displayName: server.displayName).activated()
        defer { quit(first, second) }
        await first.run { Self.moveToOtherDesktop(first) }
        try await eventually("it is there") {
          await first.run {
            first.take(first.window, first.atom("_NET_WM_DESKTOP"), delete: false)?.words == [1]
              && first.take(first.root, first.atom("_NET_CURRENT_DESKTOP"), delete: false)?.words == [0]
          }
        }
        second.forget()
        var rig = InjectorRig()
        rig.displayName = { server.displayName }
        rig.timing = .quick.with { $0.activation = .seconds(30) }
        try await rig.use { injector in
          injector.setTarget(focus(first))
          try await injector.insert("words", after: nil, windowTitle: nil)
          try await eventually("the text arrives") { first.pasted == ["words"] }
        }
        #expect(second.keys.isEmpty)
      }
    }

    private static func moveToOtherDesktop(_ probe: ProbeWindow) {
      var event = XEvent()
      event.xclient.type = ClientMessage
      event.xclient.window = probe.window
      event.xclient.message_type = probe.atom("_NET_WM_DESKTOP")
      event.xclient.format = 32
      event.xclient.data.l.0 = 1
      event.xclient.data.l.1 = 2
      XSendEvent(probe.display, probe.root, 0, SubstructureRedirectMask | SubstructureNotifyMask, &event)
    }

    @Test("C-39 C-53 B-92 the window of the press was closed: no other one gets the text", arguments: managers)
    func closed(_ manager: Manager) async throws {
      try await withManager(manager) { server, peeker in
        let other = try await ProbeWindow(title: "other", displayName: server.displayName).activated()
        defer { other.quit() }
        let first = try ProbeWindow(title: "first", displayName: server.displayName)
        let pressed = focus(first)
        first.quit()
        var rig = InjectorRig()
        rig.displayName = { server.displayName }
        try await rig.use { injector in
          injector.setTarget(pressed)
          await #expect(throws: BlurtError.targetAppLost) {
            try await injector.insert("words", after: nil, windowTitle: nil)
          }
          #expect(await peeker.text() == "words")
        }
        #expect(other.keys.isEmpty)
      }
    }
  }
}
