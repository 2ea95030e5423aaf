import BlurtEngine
import BlurtOS
import CX11
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
