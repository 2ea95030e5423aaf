import BlurtEngine
import CX11
import Foundation
import Glibc
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// What the press learns about the window the user is in.
  @Suite("focus")
  struct FocusTests {
    @Test("C-33 C-80 the frontmost window with its process, class and a title of at most 120 characters")
    func frontmost() async throws {
      let title = String(repeating: "é漢", count: 100)
      let probe = try await ProbeWindow(title: title, instance: "probe", windowClass: "Probe").shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        let focus = await injector.focus.frontmost()
        #expect(
          focus
            == CapturedFocus(
              processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe"))
        let context = await injector.focus.fieldContext(focus)
        #expect(context == FocusedFieldContext(windowTitle: String(title.prefix(120))))
      }
    }

    @Test("C-95 without accessibility all but the window title is unknown, and nothing is called secure")
    func unknown() async throws {
      let probe = try await ProbeWindow(title: "notes").shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        let context = try #require(await injector.focus.fieldContext(await injector.focus.frontmost()))
        #expect(context.priorText == nil && context.selectedText == nil && context.fieldLabel == nil)
        #expect(!context.isSecure)
        #expect(await injector.focus.fieldContext(nil) == nil)
      }
    }

    @Test("C-33 where no window is active, the one that has the input focus is climbed to its top")
    func climbed() async throws {
      let probe = try await ProbeWindow(title: "outer").shown()
      defer { probe.quit() }
      await probe.run {
        let inner = XCreateSimpleWindow(probe.display, probe.window, 0, 0, 10, 10, 0, 0, 0)
        XMapWindow(probe.display, inner)
        XSync(probe.display, 0)
        XSetInputFocus(probe.display, inner, Int32(RevertToParent), Time(CurrentTime))
      }
      try await InjectorRig().use { injector in
        #expect(await injector.focus.frontmost()?.windowID == UInt64(probe.window))
        let top = await injector.connection.focusedTopLevelForTest()
        #expect(top == UInt64(probe.window))
        // The keys still reach the window, which counts as the target's reader.
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("words", after: nil, windowTitle: nil)
      }
    }

    @Test("B-82 a window without WM_CLASS goes by the name of its program")
    func programName() async throws {
      let probe = try await ProbeWindow(instance: "", windowClass: "").shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        let focus = try #require(await injector.focus.frontmost())
        let comm = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(focus.name + "\n" == comm)
        #expect(focus.windowClass == nil)
      }
    }
  }
}

extension X11Connection {
  func focusedTopLevelForTest() -> UInt64? { session?.windows.focusedTopLevel().map { UInt64($0) } }
}
