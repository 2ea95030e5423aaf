import BlurtEngine
import CX11
import Glibc
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// A program that keeps the keyboard to itself would get the paste keys, whichever window has the focus.
  @Suite("grabs")
  struct GrabTests {
    private func focus(_ probe: ProbeWindow) -> CapturedFocus {
      CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
    }

    @Test("B-92 a locker that logind does not know, or a password dialog, gets no key; the text is on the clipboard")
    func grabbed() async throws {
      let probe = try await ProbeWindow().shown()
      let locker = try ProbeWindow(windowClass: "Locker", isManaged: false)
      let peeker = try Peeker()
      defer { quit(probe, locker, peeker) }
      try await locker.grabKeyboard(true)
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .milliseconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: "Hi.", windowTitle: nil)
        }
        #expect(await peeker.text() == " words")
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
      }
      #expect(locker.keys.isEmpty && probe.keys.isEmpty)
      #expect(rig.notices.all == [.keyboardGrabbed])
    }

    @Test("B-92 a grab that ends soon is waited for")
    func grabEnds() async throws {
      let probe = try await ProbeWindow().shown()
      let menu = try ProbeWindow(windowClass: "Menu", isManaged: false)
      defer { quit(probe, menu) }
      try await menu.grabKeyboard(true)
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        try await eventually("the grab is seen") { await injector.connection.turnCount > 10 }
        #expect(probe.keys.isEmpty)
        try await menu.grabKeyboard(false)
        try await insert.value
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(menu.keys.isEmpty)
      #expect(rig.notices.all.isEmpty)
    }

    @Test(
      "B-92 a keyboard that is grabbed in the very moment of the paste gets no key; the text is on the clipboard")
    func grabbedAtLast() async throws {
      let old = try ForeignOwner(text: "old")
      let locker = try ProbeWindow(windowClass: "Locker", isManaged: false)
      defer { quit(old, locker) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .milliseconds(60) }
      rig.afterOwning = {
        locker.runBlocking {
          while XGrabKeyboard(
            locker.display, locker.window, 0, Int32(GrabModeAsync), Int32(GrabModeAsync), Time(CurrentTime))
            != GrabSuccess
          {}
        }
      }
      try await rig.scene { scene in
        await #expect(throws: BlurtError.noEditableTarget) { try await scene.insert("words") }
        #expect(await scene.peeker.text() == "words")
        #expect(scene.probe.keys.isEmpty)
      }
      #expect(locker.keys.isEmpty)
      #expect(rig.notices.all == [.keyboardGrabbed])
    }

    @Test("C-37 a cancel while the keyboard is grabbed leaves the clipboard as it was")
    func cancel() async throws {
      let probe = try await ProbeWindow().shown()
      let locker = try ProbeWindow(windowClass: "Locker", isManaged: false)
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, locker, old) }
      try await locker.grabKeyboard(true)
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        try await eventually("the old clipboard is asked for") { !old.asked.isEmpty }
        insert.cancel()
        await #expect(throws: CancellationError.self) { try await insert.value }
      }
      #expect(old.isOwner)
    }

    @Test("B-92 B-93 the question whether the keyboard is grabbed is seen by no program")
    func unseen() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      let changes = probe.focusChanges
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.focusChanges == changes)
    }
  }
}
