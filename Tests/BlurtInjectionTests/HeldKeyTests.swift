import BlurtEngine
import BlurtTestSupport
import CX11
import Glibc
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// Keys that the user holds while a paste is made, on a keyboard that is not ours (C-54, C-55).
  @Suite("held keys", .enabled(if: Program.isInstalled("Xvfb"), "needs Xvfb"))
  struct HeldKeyTests {
    /// The server makes two virtual devices, XTest's two, and then its own pointer and keyboard.
    private static let realKeyboard: UInt = 7
    private static let controlV = ProbeWindow.Key(name: "v", modifiers: UInt32(ControlMask), isPress: true)

    private func onPrivateServer(
      _ timing: InjectionTiming = .quick, _ body: (KeyInjector, ProbeWindow, Peeker) async throws -> Void
    ) async throws {
      let server = try await PrivateServer()
      defer { server.end() }
      let probe = try ProbeWindow(displayName: server.displayName)
      let keyboard = try Peeker(displayName: server.displayName)
      defer { quit(probe, keyboard) }
      await probe.takeFocus()
      var rig = InjectorRig()
      rig.displayName = { server.displayName }
      rig.timing = timing
      try await rig.use { try await body($0, probe, keyboard) }
    }

    @Test(
      "B-71 a modifier that is held on a real keyboard is neutralised for the chord and stays up; letting go of it later does no harm",
      arguments: ["Shift_L", "Alt_L", "Super_L", "Control_R", "Control_L"])
    func heldElsewhere(_ name: String) async throws {
      try await onPrivateServer { injector, probe, keyboard in
        await keyboard.key(name, isDown: true, onDevice: Self.realKeyboard)
        #expect(await keyboard.keysDownCount() == 1)
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        #expect(probe.strokes == [Self.controlV])
        #expect(await keyboard.keysDownCount() == 0)
        await keyboard.key(name, isDown: false, onDevice: Self.realKeyboard)
        #expect(await keyboard.keysDownCount() == 0)
        // Its next press is a press again.
        probe.forget()
        await keyboard.key(name, isDown: true, onDevice: Self.realKeyboard)
        try await eventually("the press is seen") { probe.keys.contains { $0.name == name && $0.isPress } }
        await keyboard.key(name, isDown: false, onDevice: Self.realKeyboard)
        #expect(await keyboard.keysDownCount() == 0)
      }
    }

    @Test(
      "B-69 modifiers pressed and let go at random times on a real keyboard, over 300 pastes: none stays down or latched"
    )
    func randomTimes() async throws {
      let timing = InjectionTiming.quick.with {
        // A key that the user presses in the very middle spoils that chord; the next text need not wait for it.
        $0.takeover = .milliseconds(50)
        $0.settleFloor = .milliseconds(1)
        $0.quietAfterRead = .milliseconds(1)
      }
      try await onPrivateServer(timing) { injector, probe, keyboard in
        let isOver = Box(false)
        injector.setTarget(nil)
        let presses = Task {
          var count = 0
          while !isOver.value {
            let name = ["Control_L", "Control_R", "Shift_L", "Alt_L"].randomElement() ?? "Control_L"
            await keyboard.key(name, isDown: true, onDevice: Self.realKeyboard)
            for _ in 0..<Int.random(in: 0..<40) { await Task.yield() }
            await keyboard.key(name, isDown: false, onDevice: Self.realKeyboard)
            for _ in 0..<Int.random(in: 0..<40) { await Task.yield() }
            count += 1
          }
          return count
        }
        for number in 0..<(Sanitizer.isOn ? 40 : 300) {
          try await injector.insert("\(number)", after: nil, windowTitle: nil)
        }
        isOver.value = true
        #expect(await presses.value > 0)
        #expect(await keyboard.keysDownCount() == 0)
        #expect(await keyboard.modifiers() == 0)
        // And the next one is as ever.
        probe.forget()
        try await injector.insert("after", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted.last == "after" }
        #expect(probe.strokes.last == Self.controlV)
      }
    }
  }
}
