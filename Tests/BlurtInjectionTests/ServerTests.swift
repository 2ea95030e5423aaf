import BlurtEngine
import BlurtOS
import CX11
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// The X server as a thing that may be missing, come late, lack XTest, or die.
  @Suite("server", .enabled(if: Program.isInstalled("Xvfb"), "needs Xvfb"))
  struct ServerTests {
    @Test("C-43 a server without XTest: refused only after the checks that leave the words on the clipboard")
    func noXTest() async throws {
      let server = try await PrivateServer(["-extension", "XTEST"])
      defer { server.end() }
      let peeker = try Peeker(displayName: server.displayName)
      let probe = try ProbeWindow(displayName: server.displayName)
      defer { quit(peeker, probe) }
      var rig = InjectorRig()
      rig.displayName = { server.displayName }
      try await rig.use { injector in
        injector.setTarget(nil)
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("nowhere", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "nowhere")
        #expect(injector.status == .noXTest(display: server.displayName))
        #expect(!injector.status.canPaste)

        // With a place for the text, the clipboard stays as it is.
        let old = await peeker.run {
          XSetSelectionOwner(peeker.display, peeker.atom("CLIPBOARD"), peeker.window, 0)
          return peeker.window
        }
        await probe.takeFocus()
        await #expect(throws: BlurtError.accessibilityPermissionMissing) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.owner() == old)
      }
    }

    @Test("C-40 without a window manager the input focus is set, and the text arrives")
    func noWindowManager() async throws {
      let server = try await PrivateServer()
      defer { server.end() }
      let first = try ProbeWindow(displayName: server.displayName)
      let second = try ProbeWindow(displayName: server.displayName)
      defer { quit(first, second) }
      await second.takeFocus()
      var rig = InjectorRig()
      rig.displayName = { server.displayName }
      try await rig.use { injector in
        let frontmost = await injector.focus.frontmost()
        #expect(frontmost?.windowID == UInt64(second.window))
        injector.setTarget(
          CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(first.window), windowClass: "Probe"))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { first.pasted == ["words"] }
      }
      #expect(second.keys.isEmpty)
    }

    @Test("C-33 the active window is gone and its id is another program's: the window that has the input focus")
    func staleActiveWindow() async throws {
      let server = try await PrivateServer()
      defer { server.end() }
      let probe = try ProbeWindow(displayName: server.displayName)
      let other = try Peeker(displayName: server.displayName)
      defer { quit(probe, other) }
      await probe.takeFocus()
      await other.run {
        other.setWords(other.root, other.atom("_NET_ACTIVE_WINDOW"), Atom(XA_WINDOW), [UInt(other.window)])
      }
      var rig = InjectorRig()
      rig.displayName = { server.displayName }
      try await rig.use { injector in
        #expect(await injector.focus.frontmost()?.windowID == UInt64(probe.window))
      }
    }

    @Test("B-135 a display that appears later is used without a restart")
    func late() async throws {
      let name = Mutex<String?>(nil)
      var rig = InjectorRig()
      rig.displayName = { name.withLock { $0 } }
      try await rig.use { injector in
        injector.connectIfPossible()
        try await eventually("the status is known") { injector.status == .noDisplay }
        await #expect(throws: BlurtError.accessibilityPermissionMissing) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        let probe = try await ProbeWindow().shown()
        name.withLock { $0 = X11Rig.displayName }
        #expect(await injector.focus.frontmost()?.windowID == UInt64(probe.window))
        #expect(injector.status == .connected(display: X11Rig.displayName))
        probe.quit()
      }
    }

    @Test("the X server dies: the process lives on, the loss is told, and the next server is used")
    func dies() async throws {
      let server = try await PrivateServer()
      let name = Mutex(server.displayName)
      let probe = try ProbeWindow(displayName: server.displayName)
      probe.plan.reads = []
      await probe.takeFocus()
      var rig = InjectorRig()
      rig.displayName = { name.withLock { $0 } }
      let notices = rig.notices
      try await rig.use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        server.end()
        probe.quit()
        try await eventually("the loss is noticed") { notices.all == [.displayLost] }
        #expect(injector.status == .unreachable(display: server.displayName))
        await #expect(throws: BlurtError.accessibilityPermissionMissing) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        let other = try await ProbeWindow().shown()
        name.withLock { $0 = X11Rig.displayName }
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { other.pasted == ["words"] }
        other.quit()
      }
    }

    @Test(
      "B-135 B-136 DISPLAY and a cookie file that the session tells later: connected with nobody asking, and a paste works"
    )
    func toldLater() async throws {
      let cookie = (0..<16).map { _ in UInt8.random(in: 0...255) }
      func counted(_ bytes: [UInt8]) -> [UInt8] { [0, UInt8(bytes.count)] + bytes }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blurt-auth-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appendingPathComponent("Xauthority")
      // FamilyWild, and no number: for each host and display.
      try Data([255, 255] + counted([]) + counted([]) + counted(Array(CookieFile.scheme.utf8)) + counted(cookie))
        .write(to: file)
      let server = try await PrivateServer(["-auth", file.path])
      defer { server.end() }
      let later = Mutex<DisplayAddress?>(nil)
      var rig = InjectorRig()
      rig.displayName = { nil }
      rig.sessionDisplay = { later.withLock { $0 } }
      try await rig.use { injector in
        injector.connectIfPossible()
        try await eventually("the status is known") { injector.status == .noDisplay }
        // Without the cookie the server refuses.
        later.withLock { $0 = DisplayAddress(name: server.displayName) }
        try await eventually(within: .seconds(60), "refused") {
          injector.status == .unreachable(display: server.displayName)
        }
        later.withLock { $0 = DisplayAddress(name: server.displayName, authorityFile: file.path) }
        try await eventually(within: .seconds(60), "connected") {
          injector.status == .connected(display: server.displayName)
        }
        // The cookie is not kept for other displays.
        let peeker = try Peeker()
        peeker.quit()
      }
    }

    @Test("B-135 the display of this process's environment is a dead one: that of the session is used")
    func deadOwn() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      var rig = InjectorRig()
      rig.displayName = { ":987" }
      rig.sessionDisplay = { DisplayAddress(name: X11Rig.displayName) }
      try await rig.use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        #expect(injector.status == .connected(display: X11Rig.displayName))
      }
    }

    @Test(
      "B-137 the X server dies while nothing is done and starts again: told, connected by itself, and a paste works")
    func restarted() async throws {
      let server = try await PrivateServer()
      let name = server.displayName
      var rig = InjectorRig()
      rig.displayName = { name }
      try await rig.use { injector in
        injector.connectIfPossible()
        try await eventually("connected") { injector.status == .connected(display: name) }
        server.end()
        try await eventually("the loss is noticed") { injector.status == .unreachable(display: name) }
        let next = try await PrivateServer([name])
        defer { next.end() }
        #expect(next.displayName == name)
        try await eventually(within: .seconds(60), "connected again") { injector.status == .connected(display: name) }
        let probe = try ProbeWindow(displayName: name)
        defer { probe.quit() }
        await probe.takeFocus()
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
    }

    @Test(
      "B-69 B-26 the X server dies in the middle of pastes: each ends with a word, and the next server has no key down")
    func diesWhilePasting() async throws {
      let server = try await PrivateServer()
      let name = server.displayName
      let probe = try ProbeWindow(displayName: name)
      await probe.takeFocus()
      var rig = InjectorRig()
      rig.displayName = { name }
      rig.timing = .quick.with { $0.takeover = .seconds(30) }
      try await rig.use { injector in
        injector.setTarget(nil)
        let pastes = Task {
          var count = 0
          while true {
            do { try await injector.insert("\(count)", after: nil, windowTitle: nil) } catch { return (count, error) }
            count += 1
          }
        }
        try await eventually("pastes are under way") { probe.pasted.count > 5 }
        server.end()
        let (count, error) = await pastes.value
        #expect(count > 5)
        #expect(error as? BlurtError == .accessibilityPermissionMissing)
        probe.quit()
        let next = try await PrivateServer([name])
        defer { next.end() }
        let keyboard = try Peeker(displayName: name)
        defer { keyboard.quit() }
        try await eventually(within: .seconds(60), "connected again") { injector.status == .connected(display: name) }
        #expect(await keyboard.keysDownCount() == 0)
      }
    }

    @Test("idle costs no wake-up: the thread of the display sleeps while nothing is pending")
    func idle() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("it is settled") { await injector.connection.settling == nil }
        // Each look is itself one turn of the thread, or two where its wake-up comes after it was served; between two
        // looks there must be none. The server's last events about the restored clipboard may still fall into the first.
        try await eventually("no turn in 300 ms") {
          let before = await injector.connection.turnCount
          try? await Task.sleep(for: .milliseconds(300))
          return await injector.connection.turnCount - before <= 2
        }
      }
    }
  }
}
